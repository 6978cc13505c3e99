import type { Identifier } from '../../facts/index.js';
import { isToolCall, type LogMessage, type ReadonlyLog } from '../../transcript/index.js';
import { callLabel } from '../calls.js';
import { oneLine } from '../slices.js';

/** What a call is told by in a line of its own, in characters. */
const LABEL_CHARS = 44;

/** Where a word was seen last, in the words an agent would use, and the log position that orders it among others. */
export function placeOf(word: Identifier, log: ReadonlyLog): { order: number; label: string } {
  if (word.source < 0) return { order: word.last, label: labelOfMessage(log.at(word.last)) };
  const { seqs } = log.exchanges[word.source]!;
  return { order: seqs[0]!, label: labelOfResult(log, seqs, word.text) };
}

function labelOfMessage(message: LogMessage): string {
  const [call] = callsIn(message);
  if (call) return call.whole;
  const { role } = message;
  return role === 'assistant' ? 'written' : role === 'user' ? 'the user' : role;
}

/** The very call of a parallel step whose result holds the word. */
function labelOfResult(log: ReadonlyLog, seqs: readonly number[], text: string): string {
  // A step begins with the message that calls.
  const calls = callsIn(log.at(seqs[0]!));
  if (calls.length === 0) return 'a result';
  if (calls.length === 1) return calls[0]!.short;
  let byText = parallel.get(calls);
  if (!byText) parallel.set(calls, (byText = new Map()));
  let label = byText.get(text);
  if (label === undefined) {
    const holder = holderOf(log, seqs, text);
    label = (calls.find(({ callId }) => callId === holder) ?? calls[0]!).short;
    // What no result says yet a later one may.
    if (holder !== undefined) byText.set(text, label);
  }
  return label;
}

/** Of the calls of one message, by a text that one of their results says: the same words are listed run after run. */
const parallel = new WeakMap<readonly LabelledCall[], Map<string, string>>();

/** Id of the call whose result says a text, the first where several do. */
function holderOf(log: ReadonlyLog, seqs: readonly number[], text: string): string | undefined {
  for (const seq of seqs) {
    for (const part of log.at(seq).parts) {
      if (part.type !== 'tool-result') continue;
      for (const inner of part.content) if (inner.type === 'text' && inner.text === text) return part.callId;
    }
  }
  return undefined;
}

interface LabelledCall {
  readonly callId: string;
  readonly whole: string;
  readonly short: string;
}

/** Messages never change, and the same ones are named in run after run. */
const known = new WeakMap<LogMessage, readonly LabelledCall[]>();

function callsIn(message: LogMessage): readonly LabelledCall[] {
  let calls = known.get(message);
  if (!calls) {
    calls = message.parts.filter(isToolCall).map((call) => {
      const label = callLabel(call);
      const [whole, short] = [label, shortened(label)].map((one) => oneLine(one, LABEL_CHARS));
      return { callId: call.callId, whole: whole!, short: short! };
    });
    known.set(message, calls);
  }
  return calls;
}

/** Of a long path the last parts: they are what tells it from others, and the whole stands in the list where needed. */
function shortened(label: string): string {
  return label.replace(/(?:\/[\w.@-]+)+/g, (path) => {
    const parts = path.split('/');
    return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path;
  });
}
