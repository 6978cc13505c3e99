// @ts-check

/** @typedef {import('spillway/spi').PostCompact} PostCompact */
/** @typedef {PostCompact['superseded'][number]} Left */
/** @typedef {Left['parts'][number]} Part */

/**
 * One compaction as a section of a Markdown page: its time, its tokens before and after, the replacement text, and each
 * message that left, word for word.
 *
 * @param {PostCompact} event
 * @param {{ at: Date, mostChars: number, toolOutput: boolean }} how
 */
export function sectionOf(event, { at, mostChars, toolOutput }) {
  const { tokensBefore, tokensAfter, superseded, summaries, record, reason, agentPath } = event;
  const lines = [
    `## ${at.toISOString()} ${agentPath}`,
    '',
    `- compaction: \`${record?.id ?? 'none'}\` (${oneLine(reason)})`,
    `- tokens: ${tokensBefore} before, ${tokensAfter} after`,
    `- messages that left: ${superseded.length}`,
    '',
    ...summaries.flatMap((text) => ['### What stands for them', '', fenced(text, mostChars), '']),
    ...superseded.flatMap((message) => messageLines(message, mostChars, toolOutput)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * @param {Left} message
 * @param {number} mostChars
 * @param {boolean} toolOutput
 */
function messageLines({ id, role, parts }, mostChars, toolOutput) {
  const said = parts.flatMap((part) => partLines(part, mostChars, toolOutput));
  return said.length === 0 ? [] : [`### ${role} \`${id}\``, '', ...said];
}

/**
 * @param {Part} part
 * @param {number} mostChars
 * @param {boolean} toolOutput
 * @returns {string[]}
 */
function partLines(part, mostChars, toolOutput) {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [fenced(part.text, mostChars), ''];
    case 'tool-call':
      return [`Calls \`${part.name}\`:`, '', fenced(part.arguments, mostChars), ''];
    case 'tool-result':
      if (!toolOutput) return [];
      return part.content.flatMap((inner) => partLines(inner, mostChars, toolOutput));
    case 'file':
      return [`A file, ${part.mediaType}, ${part.bytes} bytes.`, ''];
    default:
      return [];
  }
}

/**
 * The text in a fence longer than any inside it, so that no part of the text becomes Markdown of the page.
 *
 * @param {string} text
 * @param {number} mostChars
 */
function fenced(text, mostChars) {
  const cut =
    text.length > mostChars ? `${text.slice(0, mostChars)}\n[${text.length - mostChars} more]` : text;
  const longest = Math.max(2, ...(cut.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${cut}\n${fence}`;
}

/** @param {string} text */
const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();
