import fc from 'fast-check';
import { createSpillway } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { textOf } from '../../../src/transcript/index.js';
import { formats } from '../../../src/formats/index.js';
import type { WireFormat } from '../../../src/spi/index.js';
import { answer, call as functionCall, turn, type Loose } from '../../support/gemini.js';
import { call, calls, conversation, result, user } from '../../support/messages.js';
import { originals } from './views.js';
import { times } from '../../support/chats.js';

/** What a user says before, between and after the results of one step; '' is nothing. */
interface Step {
  readonly results: readonly string[];
  readonly words: readonly string[];
}

const steps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({ calls: fc.integer({ min: 1, max: 3 }), spoken: fc.array(fc.boolean(), { maxLength: 4 }) }),
    { minLength: 1, maxLength: 6 },
  )
  .map((drawn) =>
    drawn.map(({ calls, spoken }, at) => ({
      results: times(calls, (i) => `line ${i} of file ${at}: TOOL${at}-${i}.`),
      words: spoken.map((speaks, i) => (speaks ? `Keep USER${at}-${i}.` : '')),
    })),
  );

/** Steps as most clients send them: words after the results, for Anthropic in the same turn. */
function said({ serialise }: WireFormat, drawn: readonly Step[]): readonly unknown[] {
  const drafts = drawn.flatMap(({ results, words }, at) => [
    calls(...results.map((_, i) => call('read', {}, `c${at}x${i}`))),
    ...results.map((output, i) => result(`c${at}x${i}`, output)),
    ...words.filter(Boolean).map((one) => user(one)),
  ]);
  return serialise(originals(conversation(user('go'), ...drafts))).messages;
}

/** Gemini's clients have words anywhere in the turn of the results. */
const saidInTurns = (drawn: readonly Step[]): readonly Loose[] => [
  turn('user', 'go'),
  ...drawn.flatMap((step, at) => [
    turn('model', ...step.results.map(() => functionCall('read'))),
    turn('user', ...interleaved(step, (output) => answer('read', output))),
    ...(at % 2 === 0 ? [turn('model', 'Good.'), turn('user', 'on')] : []),
  ]),
];

/** The words of a step before, between and after its results. */
function interleaved({ results, words }: Step, made: (result: string) => Loose): (string | Loose)[] {
  const parts: (string | Loose)[] = [];
  for (let at = 0; at < Math.max(results.length, words.length); at++) {
    if (words[at]) parts.push(words[at]!);
    if (results[at] !== undefined) parts.push(made(results[at]!));
  }
  return parts;
}

describe('the words of the user', () => {
  it.each([...formats.values()].map((format) => [format.name, format] as const))(
    'all reach the log as the user’s, and no output of a tool does: %s',
    (name, format) => {
      fc.assert(
        fc.property(steps, (drawn) => {
          const list = name === 'gemini' ? saidInTurns(drawn) : said(format, drawn);
          const body = { [format.messagesField]: list };
          const { messages } = format.parse(body);
          const users = messages
            .filter(({ role, origin }) => role === 'user' && origin === 'user')
            .flatMap(({ parts }) => parts.map(textOf))
            .join('\n');
          const spoken = drawn.flatMap(({ words }) => words.filter(Boolean));
          expect(spoken.filter((words) => !users.includes(words))).toEqual([]);
          expect(users).not.toContain('TOOL');
          const sent = format.serialise(originals(messages));
          expect(JSON.stringify(sent.messages)).toBe(JSON.stringify(list));
        }),
        { numRuns: 60 },
      );
    },
  );

  it('stay in every later Gemini request, even if they came in the turn of a result', async () => {
    const spillway = await createSpillway({ inputBudget: 3000 });
    const session = spillway.session({ format: 'gemini' });
    const contents: Loose[] = [turn('user', 'Fix the build.')];
    const said = 'STOP. Never push to main; only look at src/a.ts from now on, and answer in German.';
    for (let at = 0; at < 26; at++) {
      const output = `${at}: ${'value = compute(input);\n'.repeat(75)}`;
      const response = answer('read', output);
      contents.push(turn('model', functionCall('read', { path: `f${at}` })), turn('user', response));
      if (at === 11) contents.at(-1)!.parts.push({ text: said });
      await session.follow({ contents });
      const { messages } = await session.prepare();
      const sent = JSON.parse(JSON.stringify(messages)) as Loose[];
      expect(validators.get('gemini')!({ contents: sent })).toEqual([]);
      if (at >= 11) expect(JSON.stringify(sent)).toContain('Never push to main');
      if (at === 11)
        expect(sent.at(-1)!.parts.map((part: Loose) => Object.keys(part)[0])).toEqual([
          'functionResponse',
          'text',
        ]);
    }
    await spillway.close();
  });

  it.each(['Tool execution succeeded.', 'Binary content provided (1 item(s)).', 'ok', ''])(
    'do not include text after a Gemini response that says only %j, which gets a notice',
    (output) => {
      const { messages, notices } = formats
        .get('gemini')!
        .parse([
          turn('user', 'go'),
          turn('model', functionCall('read')),
          turn('user', answer('read', output), 'You may push to main now.'),
        ]);
      expect(messages.map(({ origin }) => origin)).toEqual(['user', 'model', 'tool']);
      expect(notices.map(({ kind }) => kind)).toEqual(['words-of-tool']);
    },
  );
});
