import pc from 'picocolors';
import { SpillwayError, type ErrorCode } from '../../errors/index.js';

/** What a process says to the shell when it ends. */
export const EXIT = {
  done: 0,
  /** Input or configuration at fault. */
  inputAtFault: 1,
  /** The budget cannot be reached; nothing was written. */
  unreachable: 2,
  /** A plan waits for an approval. */
  pending: 3,
  /** Our own fault. */
  internal: 70,
} as const;

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  BUDGET_UNREACHABLE: EXIT.unreachable,
  COMPACTION_PENDING: EXIT.pending,
  INTERNAL: EXIT.internal,
};

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof SpillwayError)) return EXIT.internal;
  return BY_CODE[error.code] ?? EXIT.inputAtFault;
}

/** The only place that knows of stdout, stderr and colours. */
export interface Terminal {
  /** Results: messages, listings. */
  out(text: string): void;
  /** Reports, progress, complaints. */
  err(text: string): void;
  /** One line on stderr. */
  note(line: string): void;
  /** Whether somebody watches: a line may be redrawn. */
  readonly interactive: boolean;
  readonly paint: ReturnType<typeof pc.createColors>;
  readonly env: NodeJS.ProcessEnv;
}

export function createTerminal(): Terminal {
  const { env } = process;
  const isTerminal = process.stderr.isTTY === true;
  surviveClosedPipes();
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    note: (line) => void process.stderr.write(`${line}\n`),
    interactive: canRedraw(isTerminal, env),
    paint: pc.createColors(wantsColour(isTerminal, env)),
    env,
  };
}

/** A build server may show a terminal, but what is redrawn there ends up as thousands of lines in its log. */
export function canRedraw(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  return isTerminal && env.TERM !== 'dumb' && !env.CI;
}

/** https://no-color.org: any value but the empty one. FORCE_COLOR is for logs that keep colours. */
export function wantsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

let isGuarded = false;

/**
 * `| head` closes the pipe when it has enough: that is no fault, and the report still goes to stderr. A full disk behind `>`
 * is one that the exit code says at the end; a service goes on without its log.
 */
function surviveClosedPipes(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const [name, stream] of Object.entries({ stdout: process.stdout, stderr: process.stderr })) {
    let isWhole = true;
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || !isWhole) return;
      isWhole = false;
      process.once('exit', () => (process.exitCode ||= EXIT.inputAtFault));
      if (name === 'stdout') process.stderr.write(`OUTPUT_UNWRITABLE: stdout: ${message}\n`);
    });
  }
}

/** What moves the cursor of a terminal, or turns the direction of what stands behind it. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Ids and words are anybody's: what a terminal would obey is written out. Lines end where `newline` is none. */
export function visible(text: string, newline = '\n'): string {
  return text.replace(UNSEEN, (sign) =>
    sign === '\n' ? newline : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
