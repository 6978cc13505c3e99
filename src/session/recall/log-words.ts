import { wordsIn } from '../../formats/index.js';
import { callLabel, oneLine } from '../../text/reading/index.js';
import {
  isRecallAnswer,
  isToolCall,
  objectIn,
  parseSaid,
  textOf,
  writeJson,
  type Log,
  type LogMessage,
  type Part,
  type ToolCallPart,
} from '../../transcript/index.js';
import type { Thread } from '../thread.js';
import type { Recalled } from './answer.js';
import { cutsOf } from './passages.js';
import type { Passage } from './passage-index.js';

/** Most characters of a call in the source line of its answer. */
const ABOUT_CHARS = 160;
/** Messages whose words are remembered: a search reads the same messages several times, and so does the next one. */
const MAX_KNOWN = 500;

interface KnownWords {
  readonly raw: MessageWords;
  /** Absent until the words are shown, and again when the log has grown. */
  clean?: MessageWords | undefined;
}

/** The words of a thread's log without secrets, as they may be shown, with their sources. */
export class LogWords {
  readonly #known = new Map<LogMessage, KnownWords>();
  #knownAt = -1;
  /** For each message with calls, its calls by id; the first if several have the same id. */
  readonly #calls = new WeakMap<LogMessage, ReadonlyMap<string, ToolCallPart>>();

  constructor(private readonly thread: Thread) {}

  readonly clean = (text: string): string => this.thread.reader.secrets.redact(text);

  cleanWordsOf(message: LogMessage): MessageWords {
    return (this.#wordsOf(message).clean ??= wordsOf(message, this.clean));
  }

  #wordsOf(message: LogMessage): KnownWords {
    const { length } = this.thread.log;
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    // A later message may reveal that a word of an earlier one is a secret.
    if (this.#knownAt !== length) for (const words of this.#known.values()) words.clean = undefined;
    this.#knownAt = length;
    let words = this.#known.get(message);
    if (!words) this.#known.set(message, (words = { raw: rawWordsOf(message) }));
    return words;
  }

  /** The words of a passage, including secrets: only for searching, never to be shown. */
  rawOf({ message, from, to }: Passage): string {
    return this.#wordsOf(message).raw.text.slice(from, to);
  }

  /** The position of a passage, and of its part, in the words without secrets. */
  placeOf({ message, part, from, to }: Passage): {
    readonly at: readonly [number, number];
    readonly within: readonly [number, number];
  } {
    const { text, parts } = this.cleanWordsOf(message);
    const { raw } = this.#wordsOf(message);
    const one = parts.find(({ index }) => index === part);
    if (!one) return { at: [0, 0], within: [0, 0] };
    const within = [one.from, one.to] as const;
    if (raw.text === text) return { at: [from, to], within };
    const before = raw.parts.find(({ index }) => index === part)!;
    const nth = [...cutsOf(raw.text, before.from, before.to)].findIndex(([start]) => start === from);
    const cuts = [...cutsOf(text, ...within)];
    return { at: cuts[Math.min(Math.max(0, nth), cuts.length - 1)] ?? [one.from, one.from], within };
  }

  headOf(message: LogMessage, handle: string, part: number | undefined): Omit<Recalled, 'text'> {
    const about = this.#about(message, part);
    return { handle, role: message.role, ...(about && { about }), place: message.seq };
  }

  /** A few words of the call that a part contains or answers. */
  #about(message: LogMessage, index: number | undefined): string | undefined {
    const part =
      index === undefined ? message.parts.find(({ type }) => type === 'tool-result') : message.parts[index];
    if (part?.type === 'tool-call') return `call of ${oneLine(part.name, ABOUT_CHARS)}`;
    if (part?.type !== 'tool-result') return undefined;
    const call = this.answeredCall(message, part);
    if (!call) return part.name === undefined ? 'a result' : `result of ${oneLine(part.name, ABOUT_CHARS)}`;
    const label = callLabel({ ...call, arguments: this.clean(call.arguments) });
    return `result of ${this.clean(oneLine(label, ABOUT_CHARS))}`;
  }

  /** The call that a part answers, in the log that contains both. */
  answeredCall({ seq }: LogMessage, part: Part, log: Log = this.thread.log): ToolCallPart | undefined {
    if (part.type !== 'tool-result') return undefined;
    const asking = log.at(log.exchangeOf(seq).seqs[0]!);
    let calls = this.#calls.get(asking);
    if (!calls) {
      const reversed = asking.parts.filter(isToolCall).reverse();
      this.#calls.set(asking, (calls = new Map(reversed.map((call) => [call.callId, call]))));
    }
    return calls.get(part.callId);
  }

  /** The message and part that answer a call. */
  resultOf(
    { seq }: LogMessage,
    { callId }: ToolCallPart,
  ): { readonly message: LogMessage; readonly part: number } | undefined {
    const { log } = this.thread;
    for (const at of log.exchangeOf(seq).seqs) {
      const message = log.at(at);
      const part = message.parts.findIndex((one) => one.type === 'tool-result' && one.callId === callId);
      if (part >= 0) return { message, part };
    }
    return undefined;
  }

  /** Whether a part is an answer of recall itself. */
  isAnswer(message: LogMessage, part: Part): boolean {
    return part.type === 'tool-result' && isRecallAnswer(part, this.answeredCall(message, part)?.name);
  }

  /** The words of one part. */
  partText(message: LogMessage, part: number): string {
    const { text, parts } = this.cleanWordsOf(message);
    const one = parts.find(({ index }) => index === part);
    return one ? text.slice(one.from, one.to) : '';
  }
}

/** Words including secrets: only for an index, never to be shown. */
export const rawWordsOf = (message: Spoken): MessageWords => wordsOf(message, (text) => text);

/** Removes secrets from a text. Applied to whole texts before they are cut, because half a secret is not recognised. */
type Clean = (text: string) => string;

/** The words of one part within the words of its message. */
interface PartWords {
  readonly index: number;
  readonly part: Part;
  /** Characters of the message's text, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** All words of a message that can be read back: one text, to which offsets refer, and the positions of its parts. */
export interface MessageWords {
  readonly text: string;
  readonly parts: readonly PartWords[];
}

/** The fields that words are read from. Without `wire`, files are only named. */
type Spoken = Pick<LogMessage, 'parts' | 'wire'>;

function wordsOf(message: Spoken, clean: Clean): MessageWords {
  const found: PartWords[] = [];
  let text = '';
  message.parts.forEach((part, index) => {
    const words = wordsOfPart(part, message, clean);
    if (words === '') return;
    if (text !== '') text += '\n';
    found.push({ index, part, from: text.length, to: text.length + words.length });
    text += words;
  });
  return { text, parts: found };
}

function wordsOfPart(part: Part, message: Spoken, clean: Clean): string {
  if (part.type === 'tool-call') return clean(callText({ ...part, arguments: clean(part.arguments) }));
  if (part.type === 'opaque') return clean(wordsIn(message, part));
  if (part.type === 'file') {
    const words = wordsIn(message, part);
    return clean(`[file ${part.name ?? part.mediaType}, ${part.bytes} bytes]${words && `\n${words}`}`);
  }
  if (part.type !== 'tool-result') return clean(textOf(part));
  const inner = part.content.map((one) =>
    one.type === 'text' ? one.text : wordsOfPart(one, message, clean),
  );
  return clean(inner.join('\n'));
}

/** Name and arguments in readable form, with line breaks kept. Arguments that are not JSON remain unchanged. */
function callText({ name, arguments: written }: ToolCallPart): string {
  const fields = objectIn(written, parseSaid);
  if (!fields) return `${name} ${written}`;
  const lines = Object.entries(fields).map(([key, value]) => {
    const text = typeof value === 'string' ? value : writeJson(value)!;
    return text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`;
  });
  return [name, ...lines].join('\n');
}
