import { SpillwayError, type ErrorCode } from '../errors/index.js';

interface PluginFault {
  readonly plugin: string;
  readonly found: unknown;
  readonly allowed?: string;
  readonly remedy: string;
  readonly cause?: unknown;
}

/** One clear error about one plugin. */
export function pluginError(
  code: ErrorCode,
  { plugin, found, allowed, remedy, cause }: PluginFault,
): SpillwayError {
  return new SpillwayError(code, {
    subject: `plugin ${plugin}`,
    found,
    ...(allowed !== undefined && { allowed }),
    remedy,
    cause,
    facts: { plugin },
  });
}

/** Anything can be thrown, also what cannot be made a text. */
export function wordsOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown).split('\n', 1)[0]!;
  } catch {
    return 'something that has no text';
  }
}
