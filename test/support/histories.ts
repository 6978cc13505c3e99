import fc from 'fast-check';
import type { Message, Part, ToolCallPart } from '../../src/transcript/index.js';
import {
  answer,
  call,
  calls,
  image,
  pinned,
  reminder,
  says,
  system,
  text,
  thought,
  user,
  words,
  type Draft,
} from './messages.js';

/** Texts of transcripts: empty, marks, paths, other scripts, lone surrogates, JSON, long lines, many lines. */
const TEXTS = [
  '',
  'ok',
  'see src/app/server.ts line 12',
  '部署失败：连接被拒绝。重试三次后放弃。',
  'half \ud83d of a pair \udc00 and 👩‍👩‍👧 whole',
  '{"a": [1, 2, {"b": "“quoted”"}]}',
  'never push to main; keep the id 4f2a9c1',
  '[… cut; recall m1#0 …]',
  `error: no such file\n${words(40, 'trace')}\nexit code 1`,
  words(60),
  Array.from({ length: 30 }, (_, i) => `line ${i} of output`).join('\n'),
  words(400, 'huge'),
];

const KINDS = [
  'system',
  'user',
  'user',
  'prose',
  'calls',
  'calls',
  'calls',
  'result',
  'result',
  'result',
  'result',
  'late',
  'twice',
  'orphan',
  'mixed',
  'reminder',
  'image',
  'signed',
  'provider',
  'pinned',
  'empty',
] as const;

export interface Move {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
}

export const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: fc.nat(11),
  b: fc.nat(11),
});

export const moves = (maxLength = 40): fc.Arbitrary<Move[]> =>
  fc.array(move, { minLength: 1, maxLength, size: 'max' });

/** Histories as careless agents leave them. Message ids are unique, call ids are not. */
export const histories = (maxLength = 40): fc.Arbitrary<Message[]> => moves(maxLength).map(historyOf);

/** Plays moves one after the other; the call that a result answers depends on the calls made so far. */
export function historyOf(steps: readonly Move[]): Message[] {
  const made: ToolCallPart[] = [];
  let waiting: ToolCallPart[] = [];
  const idOf = (n: number): string => `c${n % 5}`;
  return steps.map((step, index): Message => {
    const words = TEXTS[step.a]!;
    const draft = ((): Draft => {
      switch (step.kind) {
        case 'system':
          return system(words);
        case 'user':
          return user(words);
        case 'prose':
          waiting = [];
          return says(words);
        case 'calls': {
          waiting = callsOf(step, index, idOf);
          made.push(...waiting);
          return calls(...(step.b % 2 ? [text(words)] : []), ...waiting);
        }
        case 'signed': {
          waiting = callsOf(step, index, idOf);
          made.push(...waiting);
          return calls(thought(words, 'c2lnbmVk'), thought(''), ...waiting);
        }
        case 'provider': {
          const own = call('search', { query: words }, `p${index}`);
          waiting = [];
          return says(own, answer(own.callId, words), text('found'));
        }
        case 'result':
        case 'mixed': {
          const next = waiting.splice(step.b % Math.max(1, waiting.length), 1)[0];
          const results = [answer(next?.callId ?? idOf(step.b), ...contentOf(step, words))];
          return step.kind === 'mixed'
            ? { ...user(...results, text('and one more thing')) }
            : { role: 'tool', origin: 'tool', parts: results };
        }
        case 'late':
        case 'twice': {
          const past = made[step.b % Math.max(1, made.length)];
          return { role: 'tool', origin: 'tool', parts: [answer(past?.callId ?? 'none', words)] };
        }
        case 'orphan':
          return { role: 'tool', origin: 'tool', parts: [answer(`nobody${index}`, words)] };
        case 'reminder':
          return reminder(step.b % 2 ? 'remember the plan' : words);
        case 'image':
          return user(words, image(), image(50));
        case 'pinned':
          return pinned(step.b % 2 ? user(words) : says(words));
        case 'empty':
          return step.b % 2 ? says() : user('');
      }
    })();
    if (draft.role === 'assistant' && step.kind !== 'calls' && step.kind !== 'signed') waiting = [];
    return { id: `m${index}`, ...draft };
  });
}

/** One to four calls as models make them: ids used before, ids used twice, arguments that are not JSON. */
function callsOf({ a, b }: Move, index: number, idOf: (n: number) => string): ToolCallPart[] {
  const args = ['', '{"path": "src/a.ts"', JSON.stringify({ path: 'src/a.ts', content: TEXTS[b] })][a % 3];
  return Array.from({ length: 1 + (b % 4) }, (_, i) => {
    const id = b === 11 ? idOf(b) : b % 3 ? `u${index}.${i}` : idOf(b + i);
    return call(a % 2 ? 'read' : 'bash', args, id);
  });
}

function contentOf({ b }: Move, said: string): (string | Extract<Part, { type: 'file' }>)[] {
  if (b === 0) return [];
  if (b === 1) return [said, image(2_000)];
  return b === 2 ? [said, 'a second block'] : [said];
}
