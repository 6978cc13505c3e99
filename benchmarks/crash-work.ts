import type { Message } from '../src/index.js';

/** A message that depends only on its place, so that a log can be checked word by word. */
export function messageFor(place: number): Message {
  const random = randomOf(place * 7_919 + 1);
  const words = Array.from(
    { length: 20 + Math.floor(random() * 60) },
    () => WORDS[Math.floor(random() * WORDS.length)],
  );
  const role = place === 0 ? 'system' : place % 2 === 1 ? 'user' : 'assistant';
  return {
    id: `m${place}`,
    role,
    origin: role === 'assistant' ? 'model' : role,
    parts: [{ type: 'text', text: `${place}: ${words.join(' ')}` }],
  };
}

const WORDS = 'river mill wall boat rain wind hill stone oak wheel gate water bread grain road bridge'.split(
  ' ',
);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
