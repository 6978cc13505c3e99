import { SpillwayError, thrownText, type ErrorCode, type Fault } from '../../errors/index.js';

interface PluginFault extends Omit<Fault, 'subject' | 'allowed'> {
  readonly plugin: string;
  readonly allowed?: string | undefined;
  readonly cause?: unknown;
}

/** An error about one plugin. */
export function pluginError(code: ErrorCode, { plugin, allowed, ...fault }: PluginFault): SpillwayError {
  const says = allowed === undefined ? {} : { allowed };
  return new SpillwayError(code, { subject: `plugin ${plugin}`, ...fault, ...says, facts: { plugin } });
}

/** The first line of a thrown value's text. */
export const firstLineOf = (thrown: unknown): string => thrownText(thrown).split('\n', 1)[0]!;

/** Result of work that has not settled in time. */
export const LATE = Symbol('late');

/**
 * The result of some work, or `LATE` if it has not settled after `ms` milliseconds; then it goes on, but its result is
 * ignored. Its signal aborts at the deadline. `onEnd` is called when the work itself ends, late or not.
 */
export async function inTime<T>(
  ms: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  onEnd: () => void = () => undefined,
): Promise<T | typeof LATE> {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((end) => {
    timer = setTimeout(() => {
      own.abort();
      end(LATE);
    }, ms);
  });
  // In an async function, so that work that throws synchronously rejects.
  const done = (async () => work(own.signal))();
  done.catch(() => undefined).finally(onEnd);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for a plugin that is late at load; `what` has not settled. */
export const lateError = (plugin: string, what: string, deadlineMs: number): Error =>
  pluginError('PLUGIN_LATE', {
    plugin,
    found: `${what} has not settled in ${deadlineMs} ms`,
    allowed: `${deadlineMs} ms (pluginLimits.loadMs)`,
    remedy: 'Do slow work in a hook or after open(), or allow more time.',
  });
