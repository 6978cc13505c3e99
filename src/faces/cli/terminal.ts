import pc from 'picocolors';
import { SpillwayError, type ErrorCode } from '../../errors/index.js';

/** Exit codes of the process. */
export const EXIT = {
  done: 0,
  /** The input or the configuration is at fault. */
  inputAtFault: 1,
  /** The budget cannot be reached; nothing was written. */
  unreachable: 2,
  /** A plan waits for approval. */
  pending: 3,
  /** An internal fault. */
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

/** The only access to stdout, stderr and colours. */
export interface Terminal {
  /** Results: messages, listings. */
  out(text: string): void;
  /** Reports, progress, errors. */
  err(text: string): void;
  /** One line on stderr. */
  note(line: string): void;
  /** Whether a person watches, so that a line may be redrawn. */
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

/** A build server may show a terminal, but redrawn lines become thousands of lines in its log. */
export function canRedraw(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  return isTerminal && env.TERM !== 'dumb' && !env.CI;
}

/** https://no-color.org: any value except the empty one. FORCE_COLOR is for logs that keep colours. */
export function wantsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

let isGuarded = false;

/**
 * A closed pipe (`| head`) is no fault, and the report still goes to stderr. A full disk behind `>` is reported by the
 * exit code at the end. A service continues without its log.
 */
function surviveClosedPipes(): void {
  if (isGuarded) return;
  isGuarded = true;
  for (const [name, stream] of Object.entries({ stdout: process.stdout, stderr: process.stderr })) {
    let isIntact = true;
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || !isIntact) return;
      isIntact = false;
      process.once('exit', () => (process.exitCode ||= EXIT.inputAtFault));
      if (name === 'stdout') process.stderr.write(`OUTPUT_UNWRITABLE: stdout: ${message}\n`);
    });
  }
}

/** Characters that move a terminal's cursor or change the direction of the text after them. */
const CONTROL_SIGNS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control characters, because ids and texts may come from anyone. `newline` replaces the ends of lines. */
export function visible(text: string, newline = '\n'): string {
  return text.replace(CONTROL_SIGNS, (sign) =>
    sign === '\n' ? newline : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
