import { SpillwayError } from '../../errors/index.js';

const WHY: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  ENOENT: ['no such file', 'Check the path.'],
  EACCES: ['no permission to read it', 'Give the user who runs Spillway read permission.'],
  EPERM: ['no permission to read it', 'Give the user who runs Spillway read permission.'],
  EISDIR: ['a directory', 'Name one session file inside it.'],
};

/** A file that the system would not give us. */
export function unreadable(path: string, cause: unknown): SpillwayError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'unknown';
  const [found, remedy] = WHY[code] ?? [code, 'See the cause.'];
  return new SpillwayError('INPUT_UNREADABLE', { subject: path, found, remedy, cause });
}

export function wrongFormat(path: string, found: string, allowed: string, remedy: string): SpillwayError {
  return new SpillwayError('INPUT_FORMAT', { subject: path, found, allowed, remedy });
}

export const TEXT = 'UTF-8 text: JSON, or JSON Lines';
