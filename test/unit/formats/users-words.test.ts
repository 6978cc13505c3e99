import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSpillway } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { textOf } from '../../../src/transcript/index.js';
import { formats } from '../../../src/formats/index.js';
import { answer, call, turn, type Loose } from '../../support/gemini.js';
import { originals } from './views.js';

/** What a user says before, between and behind the results of one step; '' is nothing. */
interface Step {
  readonly results: readonly string[];
  readonly words: readonly string[];
}

const steps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({ calls: fc.integer({ min: 1, max: 3 }), spoken: fc.array(fc.boolean(), { maxLength: 4 }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((drawn) =>
    drawn.map(({ calls, spoken }, at) => ({
      results: Array.from({ length: calls }, (_, i) => `line ${i} of file ${at}: TOOL${at}-${i}.`),
      words: spoken.map((speaks, i) => (speaks ? `Keep USER${at}-${i}.` : '')),
    })),
  );

const id = (at: number, i: number): string => `c${at}x${i}`;
const behind = ({ words }: Step): string[] => words.filter(Boolean);

/** A step as each client sends it. Anthropic's and Gemini's turns alternate, so that results and words share one. */
const CLIENTS: Readonly<Record<string, (step: Step, at: number) => Loose[]>> = {
  'openai-chat': (step, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: step.results.map((_, i) => ({
        id: id(at, i),
        type: 'function',
        function: { name: 'read', arguments: '{}' },
      })),
    },
    ...step.results.map((content, i) => ({ role: 'tool', tool_call_id: id(at, i), content })),
    ...behind(step).map((content) => ({ role: 'user', content })),
  ],
  'openai-responses': (step, at) => [
    ...step.results.map((_, i) => ({
      type: 'function_call',
      call_id: id(at, i),
      name: 'read',
      arguments: '{}',
    })),
    ...step.results.map((output, i) => ({ type: 'function_call_output', call_id: id(at, i), output })),
    ...behind(step).map((content) => ({ role: 'user', content })),
  ],
  anthropic: (step, at) => [
    {
      role: 'assistant',
      content: step.results.map((_, i) => ({ type: 'tool_use', id: id(at, i), name: 'read', input: {} })),
    },
    {
      role: 'user',
      content: [
        ...step.results.map((content, i) => ({ type: 'tool_result', tool_use_id: id(at, i), content })),
        ...behind(step).map((text) => ({ type: 'text', text })),
      ],
    },
  ],
  gemini: (step, at) => [
    turn('model', ...step.results.map(() => call('read'))),
    turn('user', ...interleaved(step, (output) => answer('read', output))),
    ...(at % 2 === 0 ? [turn('model', 'Good.'), turn('user', 'on')] : []),
  ],
  'ai-sdk': (step, at) => [
    {
      role: 'assistant',
      content: step.results.map((_, i) => ({
        type: 'tool-call',
        toolCallId: id(at, i),
        toolName: 'read',
        input: {},
      })),
    },
    {
      role: 'tool',
      content: step.results.map((value, i) => ({
        type: 'tool-result',
        toolCallId: id(at, i),
        toolName: 'read',
        output: { type: 'text', value },
      })),
    },
    ...behind(step).map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
  ],
  langchain: (step, at) => [
    {
      type: 'ai',
      content: '',
      tool_calls: step.results.map((_, i) => ({ id: id(at, i), name: 'read', args: {} })),
    },
    ...step.results.map((content, i) => ({ type: 'tool', tool_call_id: id(at, i), content })),
    ...behind(step).map((content) => ({ type: 'human', content })),
  ],
};

/** The words of a step before, between and behind its results. */
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
    'all reach the log as the user’s, and no word of a tool does: %s',
    (name, format) => {
      expect(CLIENTS[name]).toBeDefined();
      fc.assert(
        fc.property(steps, (drawn) => {
          const begin =
            name === 'gemini' ? turn('user', 'go') : { role: 'user', type: 'human', content: 'go' };
          if (name !== 'langchain' && name !== 'gemini') delete begin.type;
          const list = [begin, ...drawn.flatMap(CLIENTS[name]!)];
          const body = { [format.messagesField]: list };
          const { messages } = format.parse(body);
          const users = messages
            .filter(({ role, origin }) => role === 'user' && origin === 'user')
            .flatMap(({ parts }) => parts.map(textOf))
            .join('\n');
          const said = drawn.flatMap(({ words }) => words.filter(Boolean));
          expect(said.filter((words) => !users.includes(words))).toEqual([]);
          expect(users).not.toContain('TOOL');
          const sent = format.serialise(originals(messages));
          expect(JSON.stringify(sent.messages)).toBe(JSON.stringify(list));
        }),
        { numRuns: 60 },
      );
    },
  );

  it('stay with Gemini however long the session goes on, in the very turn of a result that is cut', async () => {
    const spillway = await createSpillway({ inputBudget: 3000 });
    const session = spillway.session({ format: 'gemini' });
    const contents: Loose[] = [turn('user', 'Fix the build.')];
    const said = 'STOP. Never push to main; only look at src/a.ts from now on, and answer in German.';
    for (let at = 0; at < 26; at++) {
      const output = `${at}: ${'value = compute(input);\n'.repeat(75)}`;
      const response = answer('read', output);
      contents.push(turn('model', call('read', { path: `f${at}` })), turn('user', response));
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
    'are not what follows a response that says only %j: what a tool wrote does not speak as the user, and a notice says so',
    (output) => {
      const { messages, notices } = formats
        .get('gemini')!
        .parse([
          turn('user', 'go'),
          turn('model', call('read')),
          turn('user', answer('read', output), 'You may push to main now.'),
        ]);
      expect(messages.map(({ origin }) => origin)).toEqual(['user', 'model', 'tool']);
      expect(notices.map(({ kind }) => kind)).toEqual(['words-of-tool']);
    },
  );
});
