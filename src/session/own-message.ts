import { SpillwayError } from '../errors/index.js';
import { copied, NotCopyable, type CopyOptions, type Message } from '../transcript/index.js';

/**
 * A message of the log's own: whoever appended it may write to the object that a provider or client gave, and the log
 * does not change. Throws `MESSAGE_INVALID` for what no request can carry.
 */
export function ownMessage(message: Message, instance: CopyOptions['instance']): Message {
  try {
    return copied(message, { freeze: true, ...(instance && { instance }) });
  } catch (error) {
    if (!(error instanceof NotCopyable)) throw error;
    throw new SpillwayError('MESSAGE_INVALID', {
      subject: `message ${message.id}`,
      found: error.message,
      allowed: 'what JSON can say, and bytes',
      remedy: 'Append messages as a provider would get them.',
    });
  }
}
