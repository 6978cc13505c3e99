import { headOf, tailOf, userWordsIn } from '../../text/reading/index.js';
import { textOf, type Log, type LogMessage, type Message } from '../../transcript/index.js';
import { markerOf } from '../own-messages.js';
import type { Inbox } from '../inbox.js';
import type { RunReport } from '../prepared.js';
import type { Uses } from '../services.js';
import { inSlices } from '../slices.js';
import { recallMessage } from './answer.js';
import { FRAME_TOKENS, type Search } from './search.js';
import { isName, namesIn } from './words.js';

type Parts = Uses<'thread' | 'gauge' | 'settings' | 'intake' | 'stream' | 'audit' | 'timer'> & {
  readonly inbox: Inbox;
  readonly search: Search;
};

/** The words of the newest messages, to search with. */
interface NewestWords {
  readonly by: 'user' | 'work';
  /** The newest message; passages that come back follow it. */
  readonly last: LogMessage;
  readonly words: string;
}

/** The message that brings passages back, with their handles. */
interface Passages {
  readonly message: Message;
  readonly handles: readonly string[];
}

/** Longer texts are searched by this many characters of their beginning and of their end. */
const END_CHARS = 4_000;
/** Most of the free budget that recall may take. */
const FREE_SHARE = 0.5;
/** Fewest tokens that hold a passage and its source. */
const MIN_TOKENS = 150;
const MAX_PIECES = 12;
/** How much one passage must tell before any comes back. A question needs less (docs/decisions/0030). */
const MIN_RELEVANCE = { saying: 2, asking: 1 };
const QUESTION = /[?？؟]\s*$/m;
/** Shorter words occur everywhere. */
const MIN_CHARS = 4;

/** Brings passages that left back into view if the newest messages refer to them. */
export class AutomaticRecall {
  /** The newest message that was checked. */
  #checked: LogMessage | undefined;

  constructor(private readonly services: Parts) {}

  /** Called before a request is written, after any due compaction. */
  async put(run: RunReport): Promise<void> {
    const { thread, settings, timer, inbox } = this.services;
    const { automatic } = settings.recall;
    if (automatic === 'off' || thread.ledger.live.length === 0) return;
    const newest = newestWordsIn(thread.log, automatic === 'work', run.kind === 'committed');
    if (!newest || newest.last === this.#checked || !isSearchable(newest.words)) return;
    this.#checked = newest.last;
    const started = timer();
    const found = await this.#passagesFor(newest);
    // A message that arrived meanwhile may have been answered, or need the room.
    if (!found || newestOf(thread.log)?.id !== newest.last.id) return;
    await inbox.appendOnce(found.message);
    this.#report(found, newest, timer() - started);
  }

  async #passagesFor({ by, last, words }: NewestWords): Promise<Passages | undefined> {
    const { thread, gauge, settings, intake, search } = this.services;
    const reading = gauge.read(thread.projection);
    const { budget, scale, pressure } = reading;
    const free = (budget.tokens - reading.tokens) * FREE_SHARE;
    const { maxTokens: most, share } = settings.recall;
    const room = Math.floor(Math.min(most, share * budget.tokens, free) / scale);
    if (pressure > 1 || !Number.isFinite(budget.tokens) || room < MIN_TOKENS) return undefined;
    await inSlices(thread.reader.catchUpInSteps());
    if (newestOf(thread.log) !== last) return undefined;
    const query = search.words.clean(words).replaceAll('[secret removed]', ' ');
    const asked = by === 'work' ? this.#namesOutOfView(query, last) : query;
    if (asked.trim() === '') return undefined;
    const maxTokens = room - 2 * FRAME_TOKENS;
    const least = MIN_RELEVANCE[QUESTION.test(query) ? 'asking' : 'saying'];
    const found = await search.find({
      query: asked,
      limit: MAX_PIECES,
      maxTokens,
      isRelevant: ({ relevance }) => relevance >= least,
    });
    if (found.pieces.length === 0) return undefined;
    const message = recallMessage(thread.log.freeId(`recalled:${last.id}`), found.pieces, found.messages);
    const size = intake.measure(message);
    const fits =
      size.tokens <= room && (budget.bytes === undefined || reading.bytes + size.bytes <= budget.bytes);
    return fits ? { message, handles: found.pieces.map(({ handle }) => handle) } : undefined;
  }

  /** Names of the newest step that occur nowhere else in view: the work refers to things that it no longer sees. */
  #namesOutOfView(text: string, last: LogMessage): string {
    const { log, projection } = this.services.thread;
    const step = new Set(log.exchangeOf(last.seq).seqs);
    const shown = projection.view
      .filter(({ source }) => !source || !step.has(source.seq))
      .flatMap(({ message }) =>
        message.parts.map((part) => (part.type === 'tool-call' ? part.arguments : textOf(part))),
      )
      .join('\n');
    return namesIn(text)
      .filter((name) => isName(name) && !shown.includes(name))
      .join(' ');
  }

  #report({ message, handles }: Passages, { by, last }: NewestWords, durationMs: number): void {
    const { audit, stream } = this.services;
    const shown = this.services.thread.log.find(message.id);
    const facts = { by, behind: last.id, handles, tokens: shown?.size.tokens ?? 0 };
    audit.add('recalled', message.id, facts);
    stream.emit({ kind: 'brought-back', message: message.id, ...facts, durationMs });
  }
}

/** The newest message that is neither a marker nor a notice of the session. */
function newestOf(log: Log): LogMessage | undefined {
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const message = log.at(seq);
    const isOurs = message.unknownToClient === true && message.label === 'notice';
    if (!isOurs && !markerOf(message)) return message;
  }
  return undefined;
}

function newestWordsIn(log: Log, withWork: boolean, isCompacted: boolean): NewestWords | undefined {
  const last = newestOf(log);
  if (!last || last.label === 'recalled') return undefined;
  const words = userWordsOf(log, last);
  if (words !== '') return { by: 'user', last, words: headAndTail(words) };
  if (!withWork || last.role === 'assistant' || log.openExchange) return undefined;
  const { seqs } = log.exchangeOf(last.seq);
  const step = seqs
    .map((seq) => log.at(seq))
    .flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'tool-call' ? part.arguments : headAndTail(textOf(part)))),
    );
  const task = isCompacted && log.unansweredUser ? [textOf(log.unansweredUser.parts[0]!)] : [];
  return { by: 'work', last, words: headAndTail([...task, ...step].join('\n')) };
}

/** The newest user message. Earlier ones are added only if it tells nothing: a long review would drown a question. */
function userWordsOf(log: Log, last: LogMessage): string {
  let words = '';
  for (let seq = last.seq; seq >= 0 && !isSearchable(words); seq--) {
    const message = log.at(seq);
    if (message.role !== 'user' || message.origin === 'tool') break;
    words = `${userWordsIn(message, seq > 0 ? log.at(seq - 1) : undefined)}\n${words}`.trim();
  }
  return words;
}

/** Whether a text has words to search for: "Go on." is not worth reading a log. */
const isSearchable = (text: string): boolean => {
  const words = namesIn(text).filter((word) => word.length >= MIN_CHARS);
  return words.length > 1 || words.some((word) => isName(word));
};

const headAndTail = (text: string): string =>
  text.length <= 2 * END_CHARS ? text : `${headOf(text, END_CHARS)}\n${tailOf(text, END_CHARS)}`;
