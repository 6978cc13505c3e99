// What the playground asks the library for. It runs in a worker of the reader's own browser: nothing of a session leaves it.
import { createSpillway, type Session, type Spillway } from 'spillway';
import { readSession, type FileLike } from 'spillway/importers';
import { textOf, type Message, type ViewMessage } from 'spillway/transcript';
import { callsOf, gatesOf } from '../data/replayed.js';
import type { Call, Gates } from '../data/shapes.js';
import type { Band, Opened, Passage, Said, Setting } from './shapes.js';

/** Calls are told together, so often: in milliseconds. */
const TELL_MS = 100;
/** Of a message so much is shown, in characters. */
const MOST_CHARS = 4_000;
const RECALL_TOKENS = 2_000;

type ExplainedCall = Awaited<ReturnType<Session['operator']['explainCall']>>;

export class Engine {
  #messages: readonly Message[] = [];
  #spillway: Spillway | undefined;
  #session: Session | undefined;
  /** The session's own number of each call; none where it could not fit, and so was never prepared. */
  #numbers: (number | undefined)[] = [];
  /** Counts replays: a later one ends those before it. */
  #replays = 0;

  /** The gates of the default profile, where nobody moved them. */
  async gates(): Promise<Gates> {
    const spillway = await createSpillway();
    const gates = gatesOf(spillway);
    await spillway.close();
    return gates;
  }

  /** Rejects with the library's error where the file is no session. */
  async open(file: FileLike): Promise<Opened> {
    const { format, parsed } = await readSession(file);
    this.#messages = parsed.messages;
    const notices = parsed.notices.slice(0, 3).map(({ at, what }) => `${at}: ${what}`);
    return { format, messages: parsed.messages.length, notices };
  }

  /** Plays the session as its agent did, and tells of each call of the model. False where a later replay ended it. */
  async replay({ budget, opensAt }: Setting, tell: (calls: readonly Call[]) => void): Promise<boolean> {
    const replay = ++this.#replays;
    await this.#spillway?.close();
    const thresholds = Object.fromEntries(
      Object.entries(opensAt).map(([stage, pressure]) => [`${stage}Threshold`, pressure]),
    );
    const spillway = await createSpillway({ inputBudget: budget, settings: { thresholds } });
    if (replay !== this.#replays) return spillway.close().then(() => false);
    this.#spillway = spillway;
    const session = spillway.session();
    this.#session = session;
    this.#numbers = [];
    let prepared = 0;
    let waiting: Call[] = [];
    let told = performance.now();
    for await (const call of callsOf(session, this.#messages)) {
      this.#numbers.push(call.fault === undefined ? ++prepared : undefined);
      waiting.push(call);
      if (performance.now() - told < TELL_MS) continue;
      tell(waiting);
      waiting = [];
      // Others have their turn: a setting may have been moved meanwhile.
      await new Promise((done) => setTimeout(done));
      if (replay !== this.#replays) return false;
      told = performance.now();
    }
    tell(waiting);
    return true;
  }

  /** The log beside what one call was sent; calls count from 0. Empty where it could not fit. */
  async bands(call: number): Promise<readonly Band[]> {
    const number = this.#numbers[call];
    if (!this.#session || number === undefined) return [];
    return bandsOf(await this.#session.operator.explainCall(number), this.#session);
  }

  /** What a question brings back of all that left. */
  async ask(question: string): Promise<readonly Passage[]> {
    const found = (await this.#session?.recall({ query: question, maxTokens: RECALL_TOKENS })) ?? [];
    return found.map(({ handle, role, about, place, text }) => ({
      handle,
      role,
      ...(about !== undefined && { about }),
      place,
      words: text,
    }));
  }
}

/** What stands for the same messages is one band with them; so are neighbours that nothing stands for. */
function bandsOf({ view, messages }: ExplainedCall, { log }: Session): readonly Band[] {
  const bands: Band[] = [];
  /** Up to here the log is told of. */
  let told = 0;
  const gapUpTo = (end: number): void => {
    if (end > told) bands.push(spanOf(told, end - 1, [], messages, log));
  };
  for (let i = 0; i < view.length;) {
    const first = view[i]!;
    gapUpTo(first.from);
    let end = i + 1;
    if (!first.source) while (end < view.length && isOneWith(first, view[end]!)) end++;
    const band = first.source
      ? bandOf(first, messages[first.from]?.status === 'pinned')
      : spanOf(first.from, first.to, view.slice(i, end), messages, log);
    bands.push(band);
    told = Math.max(told, first.to + 1);
    i = end;
  }
  gapUpTo(messages.length);
  return bands;
}

const isOneWith = (first: ViewMessage, other: ViewMessage): boolean =>
  !other.source && other.from === first.from && other.to === first.to;

function bandOf({ source, message, size, replaced }: ViewMessage, isPinned: boolean): Band {
  const log = [saidBy(source!, source!.size.tokens)];
  const mark = replaced && [...replaced.values()][0];
  if (!mark) return { status: isPinned ? 'pinned' : 'kept', log, sent: [] };
  return { status: 'replaced', log, sent: [saidBy(message, size.tokens)], by: byOf(mark) };
}

/** Of many messages the first and the last are shown. Pins among them stand as bands of their own. */
function spanOf(
  from: number,
  to: number,
  sent: readonly ViewMessage[],
  messages: ExplainedCall['messages'],
  log: Session['log'],
): Band {
  const left = messages.slice(from, to + 1).filter(({ status }) => status === 'superseded');
  const inner = left.slice(1, -1);
  const tokens = inner.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const by = sent[0]?.made ?? left[0]?.by;
  return {
    status: 'left',
    log: [...new Set([left[0], left.at(-1)])].flatMap((one) =>
      one ? [saidBy(log.at(one.seq), one.tokensBefore)] : [],
    ),
    ...(inner.length > 0 && { between: { messages: inner.length, tokens } }),
    sent: sent.map(({ message, size }) => saidBy(message, size.tokens)),
    ...(by && { by: byOf(by) }),
  };
}

const byOf = ({ stage, reason }: { readonly stage: string; readonly reason: string }) => ({ stage, reason });

function saidBy(message: Message, tokens: number): Said {
  const words = message.parts
    .map((part) => (part.type === 'tool-call' ? `${part.name} ${part.arguments}` : textOf(part)))
    .join('\n');
  const more = words.length - MOST_CHARS;
  return {
    id: message.id,
    role: message.role,
    words: more > 0 ? `${words.slice(0, MOST_CHARS)}\n… ${more.toLocaleString('en')} more characters` : words,
    tokens,
  };
}
