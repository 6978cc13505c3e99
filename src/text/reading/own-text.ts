/** How our own texts begin, and how a line names what can be read back. Clients send back what they were sent. */
const OWN_START =
  /^(?:Carried from messages that were compacted|\[Digest of earlier messages |Earlier in this session \(compacted|\[Summary of \d+ earlier messages?|\[Earlier messages (?:compacted|left out))/m;
const OWN_LINE =
  /(?:(?:\[|; )recall |(?:tokens, co(?:mpacted|ndensed)[^\n\]]{0,220}| cut|left out|of the user); )[^\s\]]+(?:, [^\s\]]+)*(?: …)?\]/;

/** What other agents write in the user's place when they go on after a compaction of their own. */
const CONTINUED = /^\s*This session is being continued from a previous conversation/;

/** The part of a text that nobody's compaction wrote: ours and other agents' is never read as anyone's will. */
export function withoutOwnText(text: string): string {
  if (CONTINUED.test(text)) return '';
  const start = OWN_START.exec(text);
  const rest = start ? text.slice(0, start.index) : text;
  return rest
    .split('\n')
    .filter((line) => !OWN_LINE.test(line))
    .join('\n');
}
