import { COUNT, either, having, OBJECT, WHOLE, type Kind } from '../errors/index.js';
import { damaged } from './persistence/entry.js';
import type { Json, StoredEvent } from '../spi/index.js';
import type { Calibration, Usage } from '../tokens/index.js';
import { spanHandle, type ReadonlyLog, type ViewMessage } from '../transcript/index.js';

/** One request as it was prepared: with log and ledger up to here it can be drawn again, message by message. */
export interface CallRecord {
  /** Counted from 1 over the whole session. */
  readonly call: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Messages ever appended, and events of the ledger, when it was prepared. */
  readonly appended: number;
  readonly events: number;
  readonly model: string | null;
  /** Newest compaction that was in force. */
  readonly record?: string;
  readonly messages: number;
  /** Messages with stubs or cuts in them. */
  readonly replaced: number;
  /** What stood for a span, by handle: summaries, digests. */
  readonly summaries: readonly string[];
  readonly tokens: number;
  readonly pressure: number;
  readonly unchangedPrefixTokens: number;
  /** Of its tokens, those that automatic recall brought back. */
  readonly recalledTokens?: number;
  /** What the provider reported; absent where it has not. */
  readonly usage?: Usage;
  readonly calibration?: Calibration;
}

/** Kind of the stored event of a call. */
export const CALL_KIND = 'call';

/** What an agent's requests were, newest last. */
export class CallBook {
  #past: readonly CallRecord[] = [];
  readonly #own: CallRecord[] = [];
  #count: number;

  /** `count`: calls before this process. */
  constructor(count = 0) {
    this.#count = count;
  }

  /** Calls of this process, among those that `takePast` was given. */
  get calls(): readonly CallRecord[] {
    if (this.#past.length === 0) return this.#own;
    return [...this.#past, ...this.#own].toSorted((a, b) => a.call - b.call || a.at - b.at);
  }

  /** Of this process. */
  get newest(): CallRecord | undefined {
    return this.#own.at(-1);
  }

  /** The next call comes behind this one, which may be another process's. */
  countFrom(call: number): void {
    this.#count = Math.max(this.#count, call);
  }

  /** Takes in calls that were stored; those among them that are its own stand once. */
  takePast(stored: readonly CallRecord[]): void {
    const own = new Set(this.#own.map(nameOf));
    this.#past = stored.filter((call) => !own.has(nameOf(call)));
  }

  prepared(call: Omit<CallRecord, 'call'>): CallRecord {
    const record: CallRecord = { call: ++this.#count, ...call };
    this.#own.push(record);
    return record;
  }

  /** Adds what was reported of the newest call; undefined where none was prepared. */
  observed(usage: Usage, calibration: Calibration): CallRecord | undefined {
    const newest = this.newest;
    if (!newest) return undefined;
    const record: CallRecord = { ...newest, usage, calibration };
    this.#own[this.#own.length - 1] = record;
    return record;
  }
}

/** Two processes on one session may both count to a number: each of calls that are under way at once. */
export const nameOf = ({ call, at, appended }: CallRecord): string => `${call} ${at} ${appended}`;

/** What stands in a view beside the log's own messages. */
export function messagesSent(
  view: readonly ViewMessage[],
  log: ReadonlyLog,
): Pick<CallRecord, 'messages' | 'replaced' | 'summaries' | 'recalledTokens'> {
  const handles = new Set<string>();
  let changed = 0;
  let recalled = 0;
  // Asked for at every call, over all that is sent: one pass.
  for (const { replaced, made, message, size, from, to } of view) {
    if (message.label === 'recalled') recalled += size.tokens;
    if (replaced) changed++;
    if (!made || message.label === 'injected') continue;
    handles.add(spanHandle(log.at(from).id, log.at(to).id));
  }
  return {
    messages: view.length,
    replaced: changed,
    summaries: [...handles],
    ...(recalled > 0 && { recalledTokens: recalled }),
  };
}

export function callEvent(record: CallRecord): StoredEvent {
  return { kind: CALL_KIND, ref: String(record.call), at: record.at, body: record as unknown as Json };
}

const NONE: Kind = { is: (value) => value === undefined, words: 'nothing' };
const CALL = having({
  call: WHOLE,
  appended: WHOLE,
  events: WHOLE,
  tokens: COUNT,
  usage: either(NONE, OBJECT),
  calibration: either(NONE, having({ ratio: COUNT, samples: WHOLE, upTo: either(NONE, COUNT) })),
});

/** Throws `STORE_DAMAGED` where the body is none of a call. */
export function callOf({ body }: StoredEvent): CallRecord {
  if (CALL.is(body)) return body as unknown as CallRecord;
  throw damaged('record of a call', 'a body that is none');
}
