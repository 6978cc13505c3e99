import { SpillwayError, thrownText, type ErrorCode, type Fault } from '../../errors/index.js';

interface PluginFault extends Omit<Fault, 'subject' | 'allowed'> {
  readonly plugin: string;
  readonly allowed?: string | undefined;
  readonly cause?: unknown;
}

/** One clear error about one plugin. */
export function pluginError(code: ErrorCode, { plugin, allowed, ...fault }: PluginFault): SpillwayError {
  const says = allowed === undefined ? {} : { allowed };
  return new SpillwayError(code, { subject: `plugin ${plugin}`, ...fault, ...says, facts: { plugin } });
}

/** The first line of what was thrown. */
export const wordsOf = (thrown: unknown): string => thrownText(thrown).split('\n', 1)[0]!;

/** Not settled in time. */
export const LATE = Symbol('late');

/**
 * What some work gives, or `LATE` where it has not settled in so many milliseconds; it goes on then, and nobody listens.
 * Its signal aborts with the deadline. `onEnd` is called when the work itself ends, late or not.
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
  // In an async function, so that work that throws at once rejects.
  const done = (async () => work(own.signal))();
  done.catch(() => undefined).finally(onEnd);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A plugin that was waited for at load; `what` has not settled. */
export const lateError = (plugin: string, what: string, deadlineMs: number): Error =>
  pluginError('PLUGIN_LATE', {
    plugin,
    found: `${what} has not settled in ${deadlineMs} ms`,
    allowed: `${deadlineMs} ms (pluginLimits.loadMs)`,
    remedy: 'Do what takes long in a hook, or after open(); or allow more time.',
  });
