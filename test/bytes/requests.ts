import { formats } from '../../src/formats/index.js';
import type { Message, ViewMessage } from '../../src/transcript/index.js';
import type { Case } from './cases.js';
import { digest } from './digest.js';
import { viewsOf } from './views.js';

/** The hashes of one history: of its log, and for each format of its requests and its notices. */
export type Hashes = Readonly<Record<string, string>>;

/** Every request of a history in every format: one before each answer of the assistant, and one at the end. */
export function* requestsOf({ messages, seed }: Case): Generator<{
  readonly format: string;
  readonly view: number;
  readonly length: number;
  readonly bytes: { readonly messages: readonly unknown[]; readonly beside: unknown };
  /** Sorted, because their order means nothing. */
  readonly notices: readonly string[];
}> {
  const views = viewsOf(messages, seed);
  for (const { name: format, serialise } of formats.values()) {
    for (const [view, shown] of views.entries()) {
      for (const length of lengthsOf(shown)) {
        const { messages: sent, beside, notices } = serialise(shown.slice(0, length));
        const bytes = { messages: sent, beside };
        yield {
          format,
          view,
          length,
          bytes,
          notices: notices.map(({ at, kind }) => `${kind} at ${at}`).sort(),
        };
      }
    }
  }
}

function lengthsOf(view: readonly ViewMessage[]): number[] {
  const answers = view.flatMap(({ message }, at) => (message.role === 'assistant' && at > 0 ? [at] : []));
  return [...answers, view.length];
}

export function hashesOf(one: Case): Hashes {
  const bytes = new Map<string, string[]>();
  const notices = new Map<string, string[]>();
  for (const request of requestsOf(one)) {
    listIn(bytes, request.format).push(digest(request.bytes));
    listIn(notices, request.format).push(digest(request.notices));
  }
  const hashes: Record<string, string> = { log: digest(one.messages.map(readAs)) };
  for (const format of formats.keys())
    hashes[format] = `${digest(bytes.get(format))} ${digest(notices.get(format))}`;
  return hashes;
}

/** Everything that a format reads, except its own objects. */
function readAs({ id, role, origin, name, parts }: Message): unknown {
  const said = parts.map((part) => JSON.parse(JSON.stringify(part, withoutWire)) as unknown);
  return { id, role, origin, name, said };
}

function withoutWire(key: string, value: unknown): unknown {
  return key === 'wire' || key === 'at' ? undefined : value;
}

function listIn(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
