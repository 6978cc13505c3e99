import { describe, expect, it } from '@jest/globals';
import { ReferenceIndex } from '../../../../src/facts/index.js';
import { claimsText, StatementLedger } from '../../../../src/outline/index.js';
import { Log, type Message, type Part } from '../../../../src/transcript/index.js';

const count = (text: string): number => Math.ceil(text.length / 4);

function logOf(messages: readonly Omit<Message, 'id'>[]): Log {
  const log = new Log();
  messages.forEach((message, i) => {
    const none = { tokens: 0, bytes: 0, images: 0 };
    log.append({ id: `m${i}`, ...message }, { ...none, parts: message.parts.map(() => none) });
  });
  return log;
}

const text = (words: string): Part[] => [{ type: 'text', text: words }];
const user = (words: string): Omit<Message, 'id'> => ({ role: 'user', origin: 'user', parts: text(words) });
const call = (callId: string, name: string, args: unknown): Omit<Message, 'id'> => ({
  role: 'assistant',
  origin: 'model',
  parts: [{ type: 'tool-call', callId, name, arguments: JSON.stringify(args) }],
});
const result = (callId: string, words: string): Omit<Message, 'id'> => ({
  role: 'tool',
  origin: 'tool',
  parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text: words }] }],
});

function claimsOf(log: Log, maxTokens = 400, shown: (seq: number) => boolean = () => false) {
  const references = new ReferenceIndex(log);
  const statements = new StatementLedger(log);
  references.catchUp();
  statements.catchUp();
  return claimsText({
    log,
    statements,
    identifiers: references.identifiers.all(),
    artifacts: references.artifacts.all(),
    isShown: (word) => shown(word.last),
    isShownMessage: shown,
    maxTokens,
    count,
  });
}

const SESSION = [
  user('Never push to main without asking me.'),
  call('a', 'Read', { file_path: 'src/pressure/gauge.ts' }),
  result(
    'a',
    'export function readPressureGauge(viewTokens) {\n  return viewTokens / WINDOW_LIMIT_TOKENS;\n}',
  ),
  call('b', 'Write', { file_path: 'src/pressure/clock.ts', content: 'export const tickInterval = 40;' }),
  result('b', 'written'),
  call('c', 'update_plan', {
    plan: [
      { step: 'read the gauge', status: 'completed' },
      { step: 'fix it', status: 'pending' },
    ],
  }),
  result('c', 'ok'),
];

describe('claims', () => {
  it('carry identifiers in a line that says where they were seen', () => {
    const line = claimsOf(logOf(SESSION))!
      .text.split('\n')
      .find((one) => one.includes('readPressureGauge'));
    expect(line).toMatch(/^Read .*gauge\.ts: .*WINDOW_LIMIT_TOKENS/);
  });

  it('carry the words of a user that bind, letter for letter', () => {
    expect(claimsOf(logOf(SESSION))!.text).toContain('- “Never push to main without asking me.”');
    const long = `${'Some background that binds nobody. '.repeat(30)}\nYou must keep the API stable.`;
    const { text: carried } = claimsOf(
      logOf([user(long), user('Go on with the parser and then the writer.')]),
    )!;
    expect(carried).toContain('- “You must keep the API stable.”');
    expect(carried).not.toContain('background');
  });

  it('carry the plan with its step states, and the files that changed', () => {
    const { text: carried } = claimsOf(logOf(SESSION))!;
    expect(carried).toContain(
      '- [completed] read the gauge (changed src/pressure/clock.ts)\n- [pending] fix it',
    );
    expect(carried).toContain('- created: src/pressure/clock.ts');
    expect(carried).not.toContain('created: src/pressure/gauge.ts');
  });

  it('give rules what nothing else has a use for', () => {
    const rules = Array.from(
      { length: 40 },
      (_, i) => `The part called p${i} of the building stays closed, only staff may enter.`,
    );
    const { text: carried, tokens } = claimsOf(logOf(rules.map(user)), 900)!;
    expect(rules.filter((rule) => !carried.includes(rule))).toEqual([]);
    expect(tokens).toBeLessThanOrEqual(900);
  });

  it('pay rules before identifiers where there is little room, and still say what was asked last', () => {
    const rules = Array.from({ length: 8 }, (_, i) => `Never rename the table ledger_${i} in production.`);
    const words = Array.from({ length: 400 }, (_, i) => `someLongIdentifier${i}Name`).join('\n');
    const log = logOf([
      ...rules.map(user),
      call('d', 'grep', { pattern: 'x' }),
      result('d', words),
      user('Go on with the parser and then look at the writer.'),
    ]);
    const { text: carried } = claimsOf(log, 280)!;
    expect(rules.filter((rule) => !carried.includes(rule))).toEqual([]);
    expect(carried).toContain('Go on with the parser');
  });

  it('leave out what is still sent', () => {
    expect(claimsOf(logOf(SESSION), 400, () => true)).toBeUndefined();
  });

  it('say a word once: a base name inside a path adds nothing', () => {
    const log = logOf([call('a', 'glob', { pattern: '**' }), result('a', '/repo/src/lib/review-queue.ts')]);
    expect(claimsOf(log)!.text.match(/review-queue\.ts/g)).toHaveLength(1);
  });

  it.each([40, 80, 160, 400])('fit %i tokens', (maxTokens) => {
    const words = Array.from({ length: 400 }, (_, i) => `someLongIdentifier${i}Name`).join('\n');
    const log = logOf([...SESSION, call('d', 'grep', { pattern: 'x' }), result('d', words)]);
    const claims = claimsOf(log, maxTokens);
    expect(claims === undefined || claims.tokens <= maxTokens).toBe(true);
    expect(claims?.tokens ?? 0).toBe(claims ? count(claims.text) : 0);
  });

  it('are the same for the same log', () => {
    expect(claimsOf(logOf(SESSION))).toEqual(claimsOf(logOf(SESSION)));
  });

  it('quote without letting the quotation be closed', () => {
    const log = logOf([user('You must say “stop” when done.')]);
    expect(claimsOf(log)!.text).toContain('- “You must say "stop" when done.”');
  });
});
