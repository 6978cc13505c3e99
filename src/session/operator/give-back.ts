import { SpillwayError } from '../../errors/index.js';
import { floorOf } from '../../pipeline/index.js';
import { grouped, type Usage } from '../../tokens/index.js';
import { appendedAt, atOnce, type Log, type Message } from '../../transcript/index.js';
import { giveBackMarker, noticeMessage, wordsToCarry } from '../own-messages.js';
import { headLine, type Recalled } from '../recall/index.js';
import type { Pieces } from '../wiring.js';

/** The words to give back, named as for `recall`. */
export interface GiveBackRequest {
  /** A message, a part, a span or a list of them: `m12`, `m12#0`, `m3..m9`, `m4, m69`, `m80@1200`. */
  readonly handle: string;
  /** Only the passages that contain these words. */
  readonly query?: string;
  /** Most tokens, at least 100; the rest is named. If absent, all words up to 100,000 tokens. */
  readonly maxTokens?: number;
  /** Only report the costs, and change nothing. */
  readonly preview?: boolean;
}

/** Words that left the view, and the costs of carrying them. Tokens are on the scale of readings. */
export interface WordsGivenBack {
  /** The id in `givenBack`; absent in a preview. */
  readonly id?: string;
  readonly handle: string;
  /** The text that the model will read. */
  readonly text: string;
  /** Tokens added to each request until a compaction removes the words. */
  readonly tokens: number;
  /** `tokens` as a share of the budget. */
  readonly share: number;
  /** US dollars for the next call, and for each later call served from the cache; null if no price is known. */
  readonly cost: number | null;
  readonly laterCost: number | null;
  /** Most tokens that the next request has room for. */
  readonly room: number;
  readonly fits: boolean;
  /** The next request is compacted first to make room, which rewrites the provider's cache. */
  readonly compacts: boolean;
  /** All the words are in view already. */
  readonly inView: boolean;
}

/** One use of `giveBack`, and its state. */
export interface GivenBack {
  readonly id: string;
  readonly handle: string;
  readonly askedAt: number;
  readonly tokens: number;
  /**
   * `waiting`: no request was prepared since. `left-out`: messages that arrived meanwhile left no room. `sent`: the
   * words were in call `call`. `seen`: the provider has answered that call.
   */
  readonly state: 'waiting' | 'left-out' | 'sent' | 'seen';
  readonly call?: number;
}

const HEAD = 'The operator gives back what had left (history of this session, no instructions):';
const MAX_TOKENS = 100_000;
/** Fewest tokens that can hold a passage. */
const MIN_TOKENS = 100;

/**
 * Puts words that left into the next request. A request for words waits in the log as a marker, and the next prepared
 * request carries the words after everything that the client has sent until then.
 */
export class GiveBack {
  /** The log that was searched for markers, and the position up to which it was. */
  #searched: { readonly log: Log; readonly upTo: number } | undefined;
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'clock'
      | 'gauge'
      | 'inbox'
      | 'measureDraft'
      | 'planner'
      | 'policies'
      | 'priceOf'
      | 'recall'
      | 'requests'
      | 'stream'
      | 'thread'
      | 'triggers'
    >,
  ) {}

  async ask({ handle, query, maxTokens = MAX_TOKENS, preview }: GiveBackRequest): Promise<WordsGivenBack> {
    await this.pieces.requests.load();
    const found = await this.pieces.recall.read({ handle, maxTokens, ...(query !== undefined && { query }) });
    const { clock, gauge, priceOf, triggers } = this.pieces;
    const text = [HEAD, ...found.map((one) => `${headLine(one)}\n${one.text}`)].join('\n\n');
    const tokens = this.#tokensOf(text);
    const price = (usage: Partial<Usage>): number | null =>
      gauge.model === null ? null : priceOf(gauge.model, { inputTokens: 0, outputTokens: 0, ...usage });
    const { budget, tokens: before } = gauge.read(this.pieces.thread.projection);
    const [room, gate] = [this.#room(), this.pieces.policies.current.gates[0]?.opensAt ?? 1];
    const words: WordsGivenBack = {
      handle,
      text,
      tokens,
      share: tokens / budget.tokens,
      cost: price({ inputTokens: tokens }),
      laterCost: price({ cacheReadTokens: tokens }),
      room,
      fits: tokens <= room,
      compacts: triggers.isAuto && before + tokens >= gate * budget.tokens,
      inView: found.every((one) => this.#isInView(one)),
    };
    if (preview) return words;
    if (!words.fits) throw tooLarge(words, triggers.isAuto);
    const id = `give-back:${this.pieces.thread.appendedMessages}:${clock()}`;
    await this.pieces.inbox.append(giveBackMarker(id, clock(), { handle, text }));
    this.pieces.audit.add('given-back', id, { handle, tokens });
    return { id, ...words };
  }

  /**
   * Called before a request is prepared: appends the waiting words to the log if there is room now. While the provider
   * has paused a turn, the words wait, because no message may follow the pause.
   */
  async put(): Promise<void> {
    const { log } = this.pieces.thread;
    if (log.isPaused) return;
    const searched = { log, upTo: log.length };
    for (const { id, text } of this.#requestsSince()) {
      const { audit, clock, inbox, stream, thread } = this.pieces;
      // Another call of the session, here or in another process, may already have appended them.
      if (answerTo([...thread.log.between(0), ...(thread.arrivals ?? [])], id)) continue;
      const [tokens, room] = [this.#tokensOf(text), this.#room()];
      const own = thread.log.freeId(givenName(id));
      if (tokens <= room) await inbox.appendOnce(noticeMessage(own, clock(), text));
      else {
        await inbox.appendOnce(giveBackMarker(own, clock()));
        const reason = `it takes ${grouped(tokens)} tokens, and the request has room for ${grouped(room)}`;
        audit.add('give-back-left-out', id, { reason });
        stream.emit({
          kind: 'warning',
          code: 'give-back-left-out',
          message: `What was given back is left out: ${reason}.`,
        });
      }
    }
    // Set last: if the store fails, the remaining words still wait.
    this.#searched = searched;
  }

  async list(): Promise<readonly GivenBack[]> {
    await this.pieces.requests.load();
    const { log, ledger } = this.pieces.thread;
    return log.between(0).flatMap((marker): GivenBack | readonly [] => {
      const asked = wordsToCarry(marker);
      if (!asked) return [];
      const { id, createdAt = 0 } = marker;
      const given = answerTo(log.between(0), id);
      const isLeftOut = given?.parts[0]?.type === 'marker';
      const place = given && !isLeftOut ? appendedAt(given.seq, ledger.left) : Infinity;
      const call = this.pieces.requests.calls.find(({ appended }) => appended > place);
      const state = isLeftOut ? 'left-out' : !call ? 'waiting' : call.usage ? 'seen' : 'sent';
      const { handle, text } = asked;
      const tokens = this.#tokensOf(text);
      return { id, handle, askedAt: createdAt, tokens, state, ...(call && { call: call.call }) };
    });
  }

  /** Requests for words since the log was last searched. */
  #requestsSince(): readonly { readonly id: string; readonly text: string }[] {
    const { log } = this.pieces.thread;
    const from = this.#searched?.log === log ? this.#searched.upTo : 0;
    return log.between(from).flatMap((message) => {
      const asked = wordsToCarry(message);
      return asked ? { id: message.id, text: asked.text } : [];
    });
  }

  #tokensOf(text: string): number {
    const { gauge, measureDraft } = this.pieces;
    const { scale } = gauge.read(this.pieces.thread.projection);
    return Math.ceil(measureDraft(noticeMessage('given', 0, text)).tokens * scale);
  }

  /** Most tokens that are free after a run down to its target; if runs are off, the tokens that are free now. */
  #room(): number {
    const { triggers, gauge, planner, policies } = this.pieces;
    const { isAuto } = triggers;
    const { budget, tokens, scale } = gauge.read(this.pieces.thread.projection);
    const trigger = { kind: 'manual', detail: 'room for what is given back' } as const;
    const least = isAuto ? atOnce(floorOf(planner.input(trigger))).total * scale : tokens;
    const most = (isAuto ? policies.current.target : 1) * budget.tokens;
    return Math.max(0, Math.floor(Math.min(most - least, MAX_TOKENS)));
  }

  #isInView({ handle }: Recalled): boolean {
    const { log, projection } = this.pieces.thread;
    const message = log.find(handle) ?? log.find(handle.split(/[#@]/, 1)[0]!);
    const index = message && projection.indexOf(message.seq);
    return index !== undefined && !projection.view[index]!.replaced;
  }
}

const givenName = (id: string): string => `${id}:given`;

/** The message that answers a marker. If a client went back to before that message, the words are carried again. */
function answerTo<M extends Message>(among: readonly M[], id: string): M | undefined {
  const name = givenName(id);
  return among.find((one) => one.id === name || one.id.startsWith(`${name}~`));
}

function tooLarge({ handle, tokens, room, share }: WordsGivenBack, auto: boolean): SpillwayError {
  const smaller =
    room >= MIN_TOKENS
      ? `Give back less of it: at most ${room} tokens (maxTokens), or the passages that hold some words (query).`
      : auto
        ? 'Release pins and holds, or answer open calls: the content that may never be removed leaves no room.'
        : 'Compact first: runs are off, and the request is full.';
  return new SpillwayError('GIVE_BACK_TOO_LARGE', {
    subject: `what ${handle} says`,
    found: `${grouped(tokens)} tokens, ${Math.round(100 * share)} % of the budget`,
    allowed: `${grouped(room)} tokens, which a compaction can free`,
    remedy: smaller,
    facts: { tokens, room },
  });
}
