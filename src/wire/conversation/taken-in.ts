import { SpillwayError } from '../../errors/index.js';
import { copied, NotCopyable, whyNotCopyable, type CopyOptions } from '../../transcript/index.js';

/** How what a client passed is taken, or refused: a value, and what it is in the words of an error message. */
export type Take = <T>(value: T, subject: string, instance?: CopyOptions['instance']) => T;

/** A frozen copy. Throws `INPUT_FORMAT` for what no request can carry. */
export const takenIn: Take = (value, subject, instance) => {
  try {
    return copied(value, { freeze: true, ...(instance && { instance }) });
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    throw refused(subject, error.message);
  }
};

/** The value itself. Throws `INPUT_FORMAT` for what no request can carry. */
export const asItIs: Take = (value, subject) => {
  const why = whyNotCopyable(value);
  if (why !== undefined) throw refused(subject, why);
  return value;
};

const refused = (subject: string, found: string): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject,
    found,
    allowed: 'what JSON can say, and bytes',
    remedy: 'Pass the body as it is sent to the provider.',
  });
