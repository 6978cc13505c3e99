// @ts-check

/** @typedef {import('spillway/spi').SeenMessage} SeenMessage */
/** @typedef {import('./store.js').Fact} Fact */

/** Matches a sentence that its author means to remain valid. */
const LASTING =
  /^(?:remember|note|decision|decided|we decided|important|keep in mind)\b|\b(?:always|never|must(?: not)?|from now on|i prefer|we use|we agreed|the password is|lives in|is called)\b/i;
const SHORTEST = 12;
const LONGEST = 300;

/**
 * Facts in messages of users and the agent, each a sentence word for word. Tool results are not searched.
 *
 * @param {readonly SeenMessage[]} messages
 * @param {{ session: string, at: number }} where
 * @returns {Fact[]}
 */
export function factsIn(messages, { session, at }) {
  return messages.flatMap(({ id, role, parts, label }) => {
    if ((role !== 'user' && role !== 'assistant') || label !== undefined) return [];
    return parts.flatMap((part) => {
      if (part.type !== 'text') return [];
      return sentencesIn(part.text)
        .filter((text) => LASTING.test(text))
        .map((text) => ({ text, by: role, session, message: id, at }));
    });
  });
}

/** @param {string} text */
function sentencesIn(text) {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s>*-]+/, '').trim())
    .filter(({ length }) => length >= SHORTEST && length <= LONGEST);
}

/**
 * As many facts as fit, one line each, with its author.
 *
 * @param {readonly Fact[]} facts
 * @param {number} tokens
 */
export function noteOf(facts, tokens) {
  const head = 'From the memory of earlier work, in the words it was said in:';
  const lines = [];
  let left = tokens - tokensIn(head);
  for (const { text, by } of facts) {
    const line = `- ${by === 'user' ? 'The user' : 'The assistant'} said: “${text}”`;
    left -= tokensIn(line);
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? '' : [head, ...lines].join('\n');
}

/**
 * Tokens of a text, estimated high: three bytes to a token.
 *
 * @param {string} text
 */
export const tokensIn = (text) => Math.ceil(Buffer.byteLength(text) / 3) + 2;
