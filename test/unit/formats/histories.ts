import fc from 'fast-check';
import { times } from '../../support/chats.js';

/** A chat message as loosely as a log may hold it. */
export type Loose = Record<string, unknown>;

type Move = { kind: 'user' | 'system' | 'answer' | 'calls' | 'result'; a: number; b: number };

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('user', 'system', 'answer', 'calls', 'calls', 'result', 'result', 'result'),
  a: fc.nat(5),
  b: fc.nat(7),
});

/**
 * Logs as careless agents write them: parallel calls, interruptions, results that come late, twice, without a call,
 * displaced, without ids or content; ids reused in later steps and inside one message.
 */
export const histories: fc.Arbitrary<Loose[]> = fc
  .array(move, { maxLength: 40 })
  .map((moves) => [{ role: 'system', content: 'be brief' }, ...moves.map(messageOf)].map(frozen));

function messageOf({ kind, a, b }: Move, index: number): Loose {
  switch (kind) {
    case 'user':
      return { role: a === 0 ? 'critic' : 'user', content: b === 0 ? null : `user ${index}` };
    case 'system':
      return { role: 'developer', content: `rule ${index}` };
    case 'answer':
      return {
        role: 'assistant',
        content: a === 0 ? null : `answer ${index}`,
        ...(b === 0 ? { tool_calls: [] } : {}),
      };
    case 'calls':
      return { role: 'assistant', content: null, tool_calls: times(1 + (a % 4), (i) => callOf(b, i)) };
    default:
      return {
        role: 'tool',
        ...(b === 7 ? {} : { tool_call_id: `id${(a + b) % 5}` }),
        content: `result ${index}`,
      };
  }
}

/** Few ids, so that they meet; sometimes none, sometimes arguments that are an object. */
function callOf(seed: number, index: number): Loose {
  const id = seed === 7 ? {} : { id: `id${(seed + index * (1 + (seed % 2))) % 4}` };
  return {
    ...id,
    type: 'function',
    function: { name: 'look', arguments: seed === 6 ? { n: index } : '{"n": 1' },
  };
}

/** Freezes a value: no code may write into what a caller passed. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
