import { jsonText } from '../../formats/index.js';
import { speechesOf } from '../../text/reading/index.js';
import { textOf, type Message } from '../../transcript/index.js';

/**
 * Whether a message that the model did not write says the same but for notes of a program: what people say, what tools
 * gave and which calls they answer has to be equal, or one user's “hi” were another's “hi, my PIN is …”. What a client
 * cleared of an old result says so; of the newest message nothing is cleared.
 */
export function isMoved(logged: Message, sent: Message, isNewest: boolean): boolean {
  if (logged.role !== sent.role || logged.role === 'assistant') return false;
  if (wordsOf(logged) !== wordsOf(sent)) return false;
  const [before, now] = [resultsOf(logged), resultsOf(sent)];
  return (
    before.length === now.length &&
    before.every(({ callId, text }, at) => {
      const other = now[at]!;
      return callId === other.callId && (text === other.text || (!isNewest && CLEARED.test(other.text)));
    })
  );
}

/** All that is neither a note nor a result. */
function wordsOf(message: Message): string {
  const parts = message.parts.filter(({ type }) => type !== 'tool-result');
  const others = parts.filter(({ type }) => type !== 'text');
  const said = speechesOf({ ...message, parts }).filter(({ speaker }) => speaker !== 'program');
  return jsonText([said.map(({ text }) => text.trim()).join('\n\n'), ...others]);
}

const resultsOf = ({ parts }: Message): readonly { readonly callId: string; readonly text: string }[] =>
  parts.flatMap((part) =>
    part.type === 'tool-result' ? { callId: part.callId, text: withoutReminders(textOf(part)) } : [],
  );

/** One line in brackets that says why the rest is gone, as Claude Code and others leave it. */
const CLEARED = /^\[[^[\]{}"\n]{0,120}\b(?:clear|remov|omitt|prun|truncat|compact)[^[\]{}"\n]{0,120}\]$/i;

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';

/** Some clients put their reminders into results. */
function withoutReminders(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const from = text.indexOf(OPENING, at);
    const end = from < 0 ? -1 : text.indexOf(CLOSING, from);
    if (end < 0) return (kept + text.slice(at)).trim();
    kept += text.slice(at, from).trimEnd();
    at = end + CLOSING.length;
  }
}
