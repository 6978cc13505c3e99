import { COUNT, either, having, OBJECT, WHOLE, type Kind } from '../errors/index.js';
import { damaged } from './persistence/entry.js';
import type { Json, StoredEvent } from '../spi/index.js';
import type { Calibration, Usage } from '../tokens/index.js';
import { spanHandle, type ReadonlyLog, type ViewMessage } from '../transcript/index.js';

/** One request as it was prepared. The log and the ledger up to this point can render it again, message by message. */
export interface CallRecord {
  /** Counted from 1 over the whole session. */
  readonly call: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Messages ever appended, and events in the ledger, at the time of the request. */
  readonly appended: number;
  readonly events: number;
  readonly model: string | null;
  /** Id of the newest compaction that was in force. */
  readonly record?: string;
  readonly messages: number;
  /** Number of messages that contain stubs or cuts. */
  readonly replaced: number;
  /** Handles of the spans that were replaced by a summary or a digest. */
  readonly summaries: readonly string[];
  readonly tokens: number;
  readonly pressure: number;
  readonly unchangedPrefixTokens: number;
  /** Tokens of the request that automatic recall brought back. */
  readonly recalledTokens?: number;
  /** The usage that the provider reported; absent if there was no report. */
  readonly usage?: Usage;
  readonly calibration?: Calibration;
}

/** Kind of the stored event of a call. */
export const CALL_KIND = 'call';

/** The requests of an agent, newest last. */
export class CallBook {
  #stored: readonly CallRecord[] = [];
  readonly #own: CallRecord[] = [];
  #count: number;

  /** `count`: the number of calls before this process. */
  constructor(count = 0) {
    this.#count = count;
  }

  /** The calls of this process, together with those given to `takeStored`, in order. */
  get calls(): readonly CallRecord[] {
    if (this.#stored.length === 0) return this.#own;
    return [...this.#stored, ...this.#own].toSorted((a, b) => a.call - b.call || a.at - b.at);
  }

  /** The newest call of this process. */
  get newest(): CallRecord | undefined {
    return this.#own.at(-1);
  }

  /** Numbers the next call after this one, which may belong to another process. */
  countFrom(call: number): void {
    this.#count = Math.max(this.#count, call);
  }

  /** Takes in stored calls. Stored calls of this process are skipped, so that none is listed twice. */
  takeStored(stored: readonly CallRecord[]): void {
    const own = new Set(this.#own.map(callKey));
    this.#stored = stored.filter((call) => !own.has(callKey(call)));
  }

  add(call: Omit<CallRecord, 'call'>): CallRecord {
    const record: CallRecord = { call: ++this.#count, ...call };
    this.#own.push(record);
    return record;
  }

  /** Adds the reported usage to the newest call; undefined if no call was prepared. */
  addUsage(usage: Usage, calibration: Calibration): CallRecord | undefined {
    const newest = this.newest;
    if (!newest) return undefined;
    const record: CallRecord = { ...newest, usage, calibration };
    this.#own[this.#own.length - 1] = record;
    return record;
  }
}

/** Identifies a call. The number alone is not enough: two processes on one session may use the same number at once. */
export const callKey = ({ call, at, appended }: CallRecord): string => `${call} ${at} ${appended}`;

/** Counts the messages of a view, and what in it differs from the log's own messages. */
export function countMessages(
  view: readonly ViewMessage[],
  log: ReadonlyLog,
): Pick<CallRecord, 'messages' | 'replaced' | 'summaries' | 'recalledTokens'> {
  const handles = new Set<string>();
  let changed = 0;
  let recalled = 0;
  // Runs at every call over the whole request, so it makes a single pass.
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

/** Throws `STORE_DAMAGED` if the body is not a record of a call. */
export function callOf({ body }: StoredEvent): CallRecord {
  if (CALL.is(body)) return body as unknown as CallRecord;
  throw damaged('record of a call', 'a body that is none');
}
