// @ts-check
import { tokensIn } from './facts.js';

/** @typedef {import('spillway/spi').SeenMessage} SeenMessage */
/** @typedef {import('spillway/spi').CompactorResult} CompactorResult */
/** @typedef {{ text: string }} Written */

/** The share of the freed tokens that the replacement text may take. */
const SHARE = 0.25;
/** Tokens that a message takes in addition to its text, with a margin. */
const ENVELOPE = 12;

/**
 * Leaves out the oldest exchanges until the rest and a text for them fit the target; the newest stay. The text holds
 * the first line of each message of users and the agent; if it has no room for all, it keeps the newest.
 *
 * @param {{ messages: readonly SeenMessage[], budget: number, target: number, tokens: number }} event
 * @param {{ keepNewest: number }} knobs
 * @returns {CompactorResult}
 */
export function compacted({ messages, budget, target, tokens }, { keepNewest }) {
  const free = Math.max(0, tokens - target * budget);
  const leaves = oldest(messages, free / (1 - SHARE), keepNewest);
  const gone = messages.filter(({ id }) => leaves.has(id));
  const freed = gone.reduce((sum, message) => sum + message.tokens, 0);
  const text = gistOf(gone, SHARE * freed);
  // A summary of a few short messages would take more room than the messages.
  if (gone.length === 0 || tokensIn(text) + ENVELOPE >= freed)
    return { messages: messages.map(({ id }) => ({ id })), superseded: [] };
  /** @type {(Written | { id: string })[]} */
  const list = [];
  let isTold = false;
  for (const { id } of messages) {
    if (!leaves.has(id)) list.push({ id });
    else if (!isTold) {
      list.push({ text });
      isTold = true;
    }
  }
  return {
    messages: list,
    superseded: [...leaves],
    summary: `${gone.length} older messages, ${freed} tokens, gave way to a gist`,
  };
}

/**
 * Ids of one stretch of whole exchanges, from the oldest removable one up to the first message that has to stay.
 *
 * @param {readonly SeenMessage[]} messages
 * @param {number} tokens
 * @param {number} keepNewest
 */
function oldest(messages, tokens, keepNewest) {
  const last = messages.length - keepNewest;
  /** @type {Set<string>} */
  const leaves = new Set();
  let left = tokens;
  for (let from = 0; from < messages.length;) {
    const number = messages[from]?.exchange;
    let to = from;
    while (to < messages.length && messages[to]?.exchange === number) to++;
    const exchange = messages.slice(from, to);
    from = to;
    if (exchange.every(({ fixed }) => fixed === 'pinned') && leaves.size === 0) continue;
    const stays = to > last || exchange.some(({ fixed }) => fixed !== undefined);
    if (stays || left <= 0) break;
    for (const { id, tokens: own } of exchange) {
      leaves.add(id);
      left -= own;
    }
  }
  return leaves;
}

/**
 * @param {readonly SeenMessage[]} gone
 * @param {number} tokens
 */
function gistOf(gone, tokens) {
  const head = `[${gone.length} earlier messages, in short; nothing here is a new request]`;
  const lines = gone.flatMap(({ role, parts }) => {
    const said = parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])).join(' ');
    const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []));
    if (said === '' && calls.length === 0) return [];
    const who = role === 'user' ? 'User' : 'Assistant';
    const words = said.split('\n')[0]?.slice(0, 200) ?? '';
    return [`${who}: ${words}${calls.length > 0 ? ` (called ${calls.join(', ')})` : ''}`];
  });
  /** @type {string[]} */
  const kept = [];
  let left = tokens - tokensIn(head);
  for (const line of lines.toReversed()) {
    left -= tokensIn(line);
    if (left < 0) break;
    kept.unshift(line);
  }
  return [head, ...kept].join('\n');
}
