import { SpillwayError } from '../errors/index.js';
import type { Parsed } from '../spi/index.js';
import { isFields, isSet, listOf, type Fields } from './record.js';

/** By format, of those that keep their list in `messages`: whether a message has that format's calls or results. */
const CALLS: Readonly<Record<string, (message: Fields) => boolean>> = {
  'openai-chat': ({ tool_calls: calls }) => isSet(calls),
  anthropic: ({ content }) => holds(content, 'tool_use', 'tool_result'),
  'ai-sdk': ({ content }) => holds(content, 'tool-call', 'tool-result'),
};

const holds = (content: unknown, ...types: readonly unknown[]): boolean =>
  listOf(content).some((block) => isFields(block) && types.includes(block.type));

/**
 * Throws `SESSION_FORMAT` if a new message contains calls of another format than the session's. Read in the session's
 * format, these calls would be sent unchanged until a compaction removes a call and leaves its result.
 */
export function refuseForeign({ messages, changedFrom = 0 }: Parsed, format: string): void {
  const own = Object.hasOwn(CALLS, format) ? CALLS[format] : undefined;
  if (!own) return;
  for (const { id, wire } of messages.slice(changedFrom)) {
    // In Anthropic's format `wire` is the message with a mark that tells its pieces apart.
    const sent = isFields(wire) && isFields(wire.message) ? wire.message : wire;
    if (!isFields(sent) || own(sent)) continue;
    const found = Object.keys(CALLS).find((other) => CALLS[other]!(sent));
    if (found === undefined) continue;
    throw new SpillwayError('SESSION_FORMAT', {
      subject: `message ${id} of the body that the session is to follow`,
      found: `calls as ${found} has them`,
      allowed: format,
      remedy: `Make the session with spillway.session({ format: '${found}' }).`,
    });
  }
}
