/** Beginnings of our own texts, and a line with a handle of ours. Clients send back what they were sent. */
const OWN_START =
  /^(?:Carried from messages that were compacted|\[Digest of earlier messages |Earlier in this session \(compacted|\[Summary of \d+ earlier messages?|\[Earlier messages (?:compacted|left out))/m;
const OWN_LINE =
  /(?:(?:\[|; )recall |(?:tokens, co(?:mpacted|ndensed)[^\n\]]{0,220}| cut|left out|of the user); )[^\s\]]+(?:, [^\s\]]+)*(?: …)?\]/;

/** The text of other agents in a user message when they continue after their own compaction. */
const CONTINUED = /^\s*This session is being continued from a previous conversation/;

/** The part of a text that no compaction wrote: summaries of ours and of other agents never count as anyone's will. */
export function withoutOwnText(text: string): string {
  if (CONTINUED.test(text)) return '';
  const start = OWN_START.exec(text);
  const rest = start ? text.slice(0, start.index) : text;
  return rest
    .split('\n')
    .filter((line) => !OWN_LINE.test(line))
    .join('\n');
}
