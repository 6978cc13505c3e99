import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { validators } from '../../src/testkit/index.js';
import { engine, prose, spillway as cli, temporaryFolder } from './support.js';

const folder = temporaryFolder();

/** Joined from pieces, so that no scanner takes this file for a leak. */
const KEY = ['sk-', 'live-', 'abcdefghij0123456789'].join('');
const TOKEN = ['ghp_', 'Zx81kQpLmN02vBcRtYuIoPaSdFgHjK3456ab'].join('');
const AWS = ['AKIA', 'QX7ZP2LMN4RT6VWY'].join('');
const PASSWORD = ['correcthorse', '7battery'].join('');
const SHORT = ['hunter2', 'hunter2'].join('');
const ORDER = 'ACME-991122';
const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
const PEM = [
  '-----BEGIN ',
  'PRIVATE KEY-----\n',
  `${LINE}\n`.repeat(12),
  '-----END ',
  'PRIVATE KEY-----',
].join('');
const SECRETS = [KEY, TOKEN, AWS, PASSWORD, SHORT, ORDER, LINE];

/** One step: the arguments of its call, the result, and the text that the agent writes. */
interface Step {
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly words: string;
}

const SYSTEM = `Be brief. The token is ${TOKEN}.`;
const QUESTION = `Deploy order ${ORDER}. My key is ${KEY}.`;
const STEPS: readonly Step[] = [
  { args: { command: 'cat .env' }, result: `DB_PASSWORD=${PASSWORD}\n${prose(80, 1)}`, words: 'I look.' },
  { args: { user: 'me', password: SHORT }, result: `{"line":"a\\n${TOKEN}"}`, words: `It says ${AWS}.` },
  { args: { text: `first\n${KEY}\nlast` }, result: PEM, words: `I tried ${PASSWORD} as it stands.` },
  { args: { command: `echo ${PASSWORD}` }, result: `${PASSWORD}\n${prose(200, 2)}`, words: 'Done.' },
];

/** A document that is plain text. */
const NOTES = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: `My notes.\nThe token is ${TOKEN}.` },
};

type Body = Readonly<Record<string, unknown>>;

/** The first `steps` steps of one history, as a client of each format sends them. */
const HISTORIES: Readonly<Record<string, (steps: number, tail?: string) => Body>> = {
  'openai-chat': (steps, tail = 'And now?') => ({
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: QUESTION },
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }, i) => [
        {
          role: 'assistant',
          content: words,
          tool_calls: [
            {
              id: `c${i}`,
              type: 'function',
              function: { name: 'bash', arguments: JSON.stringify(args, null, 1) },
            },
          ],
        },
        { role: 'tool', tool_call_id: `c${i}`, content: result },
      ]),
      { role: 'assistant', content: 'So far.' },
      { role: 'user', content: tail },
    ],
  }),
  anthropic: (steps, tail = 'And now?') => ({
    system: SYSTEM,
    messages: [
      { role: 'user', content: [NOTES, { type: 'text', text: QUESTION }] },
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }, i) => [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: `Is it ${KEY}?`, signature: `sig${i}` },
            { type: 'text', text: words },
            { type: 'tool_use', id: `c${i}`, name: 'bash', input: args },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${i}`, content: result }] },
      ]),
      { role: 'assistant', content: 'So far.' },
      { role: 'user', content: tail },
    ],
  }),
  'openai-responses': (steps, tail = 'And now?') => ({
    instructions: SYSTEM,
    input: [
      { role: 'user', content: QUESTION },
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }, i) => [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] },
        { type: 'function_call', call_id: `c${i}`, name: 'bash', arguments: JSON.stringify(args) },
        { type: 'function_call_output', call_id: `c${i}`, output: result },
      ]),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So far.' }] },
      { role: 'user', content: tail },
    ],
  }),
  gemini: (steps, tail = 'And now?') => ({
    systemInstruction: { parts: [{ text: SYSTEM }] },
    contents: [
      { role: 'user', parts: [{ text: QUESTION }] },
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }) => [
        { role: 'model', parts: [{ text: words }, { functionCall: { name: 'bash', args } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'bash', response: { output: result } } }] },
      ]),
      { role: 'model', parts: [{ text: 'So far.' }] },
      { role: 'user', parts: [{ text: tail }] },
    ],
  }),
  'ai-sdk': (steps, tail = 'And now?') => ({
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: [{ type: 'text', text: QUESTION }] },
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }, i) => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: words },
            { type: 'tool-call', toolCallId: `c${i}`, toolName: 'bash', input: args },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: `c${i}`,
              toolName: 'bash',
              output: { type: 'json', value: { output: result } },
            },
          ],
        },
      ]),
      { role: 'assistant', content: 'So far.' },
      { role: 'user', content: tail },
    ],
  }),
  langchain: (steps, tail = 'And now?') => ({
    messages: [
      new SystemMessage(SYSTEM),
      new HumanMessage(QUESTION),
      ...STEPS.slice(0, steps).flatMap(({ args, result, words }, i) => [
        new AIMessage({ content: words, tool_calls: [{ id: `c${i}`, name: 'bash', args }] }),
        new ToolMessage({ content: result, tool_call_id: `c${i}`, name: 'bash' }),
      ]),
      new AIMessage('So far.'),
      new HumanMessage(tail),
    ],
  }),
};

const SETTINGS = { redactLog: true, redact: ['ACME-\\d+'] };

/** The content of all files of a store. */
function bytesOf(path: string): string {
  const name = path.split('/').at(-1)!;
  const files = readdirSync(dirname(path)).filter((file) => file.startsWith(name));
  return files.map((file) => readFileSync(join(dirname(path), file), 'latin1')).join('\n');
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const heldIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

const bodyOf = ({ messages, beside }: { messages: readonly unknown[]; beside: object }, field: string) =>
  JSON.parse(JSON.stringify({ ...beside, [field]: messages })) as Body;

describe('N8: a log without secrets', () => {
  it.each(Object.keys(HISTORIES))(
    'N8: %s: the store contains no secret, requests are the client’s own, and the log continues after a restart',
    async (format) => {
      const history = HISTORIES[format]!;
      const path = folder.file(`redacted-${format}.db`, '');
      const store = `sqlite:${path}2`;
      const field = format === 'gemini' ? 'contents' : format === 'openai-responses' ? 'input' : 'messages';
      const first = await engine(100_000, SETTINGS, { format, store });
      const session = await first.open({ id: 'x' });
      for (const steps of [1, 3, 4]) {
        const sent = history(steps);
        const { rewound } = await session.follow(sent);
        // The client puts its new steps before the two messages that it sent last.
        expect(rewound?.left).toBe(steps === 1 ? undefined : 2);
        const request = bodyOf(await session.prepare(), field);
        expect(request[field]).toEqual(plain(sent[field]));
      }
      const again = await session.follow(history(4));
      expect([again.rewound, again.appended.length]).toEqual([undefined, 0]);
      await session.observe({ inputTokens: 900, outputTokens: 9 });

      const second = await engine(100_000, SETTINGS, { format, store });
      const reopened = await second.open({ id: 'x' });
      const followed = await reopened.follow(history(4));
      expect([followed.rewound, followed.appended.length]).toEqual([undefined, 0]);
      const request = bodyOf(await reopened.prepare(), field);
      expect(request[field]).toEqual(plain(history(4)[field]));
      await reopened.operator.compact({ target: 0.001 });
      await reopened.load();
      const [head, tail] = [reopened.log.at(0).id, reopened.log.at(reopened.log.length - 1).id];
      const recalled = await reopened.recall({ handle: `${head}..${tail}`, maxTokens: 50_000 });
      expect(recalled.length).toBeGreaterThan(0);
      expect(heldIn(JSON.stringify(recalled))).toEqual([]);
      expect(heldIn(JSON.stringify(await reopened.operator.transcript({ includeSuperseded: true })))).toEqual(
        [],
      );
      await first.close();
      await second.close();
      const stored = bytesOf(`${path}2`);
      expect(stored.length).toBeGreaterThan(4_000);
      expect(stored).toContain(' removed]');
      expect(heldIn(stored)).toEqual([]);
    },
    60_000,
  );

  it.each(Object.keys(HISTORIES))(
    'N8: %s: messages that are appended are sent without their secrets, as a legal request',
    async (format) => {
      const one = await engine(100_000, SETTINGS, { format });
      const reader = await engine(100_000, {}, { format });
      const plain = reader.session();
      await plain.follow(HISTORIES[format]!(4));
      const session = one.session();
      for (let seq = 0; seq < plain.log.length; seq++) {
        const { seq: _, size: __, ...message } = plain.log.at(seq);
        await session.append(message);
      }
      const field = format === 'gemini' ? 'contents' : format === 'openai-responses' ? 'input' : 'messages';
      const body = bodyOf(await session.prepare(), field);
      expect(heldIn(JSON.stringify(body))).toEqual([]);
      expect(JSON.stringify(body)).toContain(' removed]');
      expect(validators.get(format)!(body)).toEqual([]);
    },
  );

  it('N8: a log goes back if a history differs outside its secrets, but not if only a secret differs', async () => {
    const one = await engine(100_000, SETTINGS);
    const session = one.session();
    await session.follow(HISTORIES['openai-chat']!(2));
    const other = JSON.parse(
      JSON.stringify(HISTORIES['openai-chat']!(2)).replaceAll('I look.', 'I looked.'),
    ) as Body;
    expect((await session.follow(other)).rewound?.to).toBe(2);
    const { length } = session.log;
    const turned = JSON.parse(JSON.stringify(other).replaceAll(PASSWORD, 'otherhorse99battery')) as Body;
    const followed = await session.follow(turned);
    expect([followed.rewound, session.log.length]).toEqual([undefined, length]);
    expect(JSON.stringify((await session.prepare()).messages)).toContain('otherhorse99battery');
  });

  it('N8: one agent alone can have `redactLog`', async () => {
    const one = await engine(100_000, { agents: { 'primary/keys': { redactLog: true } } });
    const texts = await Promise.all(
      ['primary', 'primary/keys'].map(async (agentPath) => {
        const session = one.session({ agentPath });
        await session.follow(HISTORIES['openai-chat']!(4));
        return JSON.stringify(session.log.at(1));
      }),
    );
    expect(texts.map((text) => text.includes(KEY))).toEqual([true, false]);
  });

  it('N8: the command line writes messages without their secrets', async () => {
    const file = folder.file('chat.json', JSON.stringify(HISTORIES['openai-chat']!(4)));
    const config = folder.file('redact.yaml', 'redactLog: true\nredact: ["ACME-\\\\d+"]\n');
    const out = folder.file('out.json', '');
    const { code } = await cli(['compact', file, '--window', '100000', '--config', config, '--out', out]);
    const stdout = readFileSync(out, 'utf8');
    expect(code).toBe(0);
    expect(stdout).toContain(' removed]');
    expect(heldIn(stdout)).toEqual([]);
  });
});
