import { SpillwayError } from '../../errors/index.js';
import { copied, NotCopyable, type CopyOptions } from '../../transcript/index.js';

/** A frozen copy of what a client passed. Throws `INPUT_FORMAT` for what no request can carry. */
export function takenIn<T>(value: T, subject: string, instance?: CopyOptions['instance']): T {
  try {
    return copied(value, { freeze: true, ...(instance && { instance }) });
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    throw new SpillwayError('INPUT_FORMAT', {
      subject,
      found: error.message,
      allowed: 'what JSON can say, and bytes',
      remedy: 'Pass the body as it is sent to the provider.',
    });
  }
}
