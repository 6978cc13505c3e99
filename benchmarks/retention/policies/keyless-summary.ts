import { createSpillway } from '../../../src/index.js';
import { DigestIndex, drawDigest } from '../../../src/text/digest/index.js';
import { createExactCounter } from '../../../src/tokens/index.js';
import { contentOf, type ChatMessage } from '../../support/chat.js';
import { referenceCount } from '../../support/reference-count.js';
import type { ProbedSession } from '../probes.js';
import { LogReader } from '../../../src/transcript/index.js';

/** Replaces a peer's summary by another text, in the request for message `index`. */
export type Rewrite = (
  compacted: readonly ChatMessage[],
  index: number,
  budget: number,
) => readonly ChatMessage[];

/** The stub of the peers' adapters, as it is in their answers. */
const STUB =
  /## Goal\nFix the session handling bug in src\/auth\/session\.ts\.[\s\S]*?## Next steps\n1\. Continue the task\./;

/** The share of a budget for Spillway's summaries; never more than the peer leaves free, nor less than its stub. */
const SHARE = 0.15;
const STUB_TOKENS = 150;

/** Our digest of every message that the peer no longer shows, in no more tokens than the peer leaves. */
export async function keylessSummaries(session: ProbedSession): Promise<Rewrite> {
  const live = (await createSpillway()).session();
  live.append(...session.messages);
  const { count } = await createExactCounter('o200k_base');
  const digests = new DigestIndex(live.log);
  new LogReader(live.log, digests).catchUp();
  return (compacted, index, budget) => {
    const at = compacted.findLastIndex((message) => STUB.test(contentOf(message)));
    if (at < 0) return compacted;
    const gone = goneFrom(session.chat.slice(0, index), compacted);
    if (gone.length === 0) return compacted;
    const free = budget - referenceCount(compacted) + STUB_TOKENS;
    const maxTokens = Math.max(STUB_TOKENS, Math.min(Math.floor(SHARE * budget), free));
    const isGone = new Set(gone);
    const [from, to] = [gone[0]!, gone.at(-1)!];
    const shown = new Set(
      Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((seq) => !isGone.has(seq)),
    );
    const { text } = drawDigest(digests, { from, to, shown, maxTokens, count, handle: 'peer' });
    const summary = { ...compacted[at]!, content: contentOf(compacted[at]!).replace(STUB, () => text) };
    return compacted.with(at, summary);
  };
}

/** Indexes of the messages that are no longer present word for word. Of equal messages the newest counts as present. */
function goneFrom(history: readonly ChatMessage[], compacted: readonly ChatMessage[]): number[] {
  const standing = new Map<string, number>();
  for (const message of compacted) standing.set(keyOf(message), (standing.get(keyOf(message)) ?? 0) + 1);
  const gone: number[] = [];
  for (let i = history.length - 1; i >= 0; i--) {
    const key = keyOf(history[i]!);
    const left = standing.get(key) ?? 0;
    if (left > 0) standing.set(key, left - 1);
    else gone.push(i);
  }
  return gone.reverse();
}

const keys = new WeakMap<ChatMessage, string>();

/** The key of a message, cached because every compaction asks for the same messages. */
function keyOf(message: ChatMessage): string {
  let key = keys.get(message);
  if (key === undefined) {
    const calls = (message.tool_calls ?? []).map((call) => call.id);
    key = JSON.stringify([message.role, contentOf(message), message.tool_call_id, calls]);
    keys.set(message, key);
  }
  return key;
}
