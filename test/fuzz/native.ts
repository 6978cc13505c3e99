import { createSpillway, SpillwayError, type Spillway } from '../../src/index.js';
import { formats } from '../../src/formats/index.js';
import { Dice, validators } from '../../src/testkit/index.js';
import { prose } from '../support/chats.js';
import type { Fuzzed } from './one.js';

type Item = Readonly<Record<string, unknown>>;

/** The items that one step of an agent adds to the history of a wire. */
interface Steps {
  question(dice: Dice, at: number): readonly Item[];
  /** Calls with their results, in any kind that the wire has. */
  work(dice: Dice, at: number): readonly Item[];
  answer(dice: Dice, at: number): readonly Item[];
}

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const words = (dice: Dice, at: number): string => prose(dice.pick([4, 30, 150, 400]), at);
const some = (dice: Dice, share: number, item: () => Item): readonly Item[] =>
  dice.hits(share) ? [item()] : [];

const chat: Steps = {
  question: (dice, at) => [
    // Some templates accept no instructions in the middle.
    ...(at === 0 ? [{ role: 'system', content: 'Be brief.' }] : []),
    {
      role: 'user',
      content: dice.hits(0.7)
        ? words(dice, at)
        : [
            { type: 'text', text: words(dice, at) },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
            ...some(dice, 0.5, () => ({
              type: 'input_audio',
              input_audio: { data: 'UklGRg==', format: 'wav' },
            })),
          ],
    },
  ],
  work(dice, at) {
    const ids = Array.from({ length: dice.whole(1, 3) }, (_, i) => `call_${at}_${i}`);
    const isCustom = dice.hits(0.2);
    return [
      {
        role: 'assistant',
        content: dice.hits(0.5) ? words(dice, at) : null,
        ...(dice.hits(0.3) && { reasoning_content: words(dice, at + 7) }),
        tool_calls: ids.map((id) =>
          isCustom
            ? { id, type: 'custom', custom: { name: 'sh', input: words(dice, at) } }
            : {
                id,
                type: 'function',
                function: { name: 'read', arguments: JSON.stringify({ path: `${id}.ts` }) },
              },
        ),
      },
      ...ids.map((id, i) => ({
        role: 'tool',
        tool_call_id: id,
        content: dice.hits(0.8) ? words(dice, at + i) : [{ type: 'text', text: words(dice, at + i) }],
      })),
    ];
  },
  answer: (dice, at) => [
    dice.hits(0.1)
      ? { role: 'assistant', content: null, refusal: 'I would rather not.' }
      : { role: 'assistant', content: words(dice, at) },
  ],
};

const message = (role: string, text: string): Item => ({
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

const responses: Steps = {
  question: (dice, at) => [
    ...some(dice, 0.1, () => ({ role: 'developer', content: `Rule ${at}.` })),
    dice.hits(0.7)
      ? { role: 'user', content: words(dice, at) }
      : {
          role: 'user',
          content: [
            { type: 'input_text', text: words(dice, at) },
            { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PNG}` },
            ...some(dice, 0.5, () => ({ type: 'input_file', file_url: 'https://papers.example/deed.pdf' })),
          ],
        },
  ],
  work(dice, at) {
    const id = `c${at}`;
    const thought = some(dice, 0.5, () => ({
      type: 'reasoning',
      id: `rs_${at}`,
      summary: [],
      encrypted_content: `sealed-${at}`,
    }));
    const one = (kind: string, call: Item, output: Item): readonly Item[] => [
      { type: `${kind}_call`, id: `i_${at}`, call_id: id, status: 'completed', ...call },
      { type: `${kind}_call_output`, call_id: id, ...output },
    ];
    const text = words(dice, at);
    const kinds: readonly (() => readonly Item[])[] = [
      () => one('function', { name: 'read', arguments: '{"path":"a.ts"}' }, { output: text }),
      () => one('function', { name: 'read', arguments: '{}' }, { output: [{ type: 'input_text', text }] }),
      () => one('custom_tool', { name: 'sh', input: text }, { output: text }),
      () => [
        {
          type: 'local_shell_call',
          id: `i_${at}`,
          call_id: id,
          status: 'completed',
          action: { type: 'exec', command: ['ls'], env: {} },
        },
        { type: 'local_shell_call_output', id, output: text },
      ],
      () =>
        one(
          'shell',
          { action: { commands: ['ls'] } },
          { output: [{ stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
        ),
      () =>
        one(
          'apply_patch',
          { operation: { type: 'update_file', path: 'a.ts', diff: text } },
          { status: 'completed', output: text },
        ),
      () => [
        {
          type: 'web_search_call',
          id: `ws_${at}`,
          status: 'completed',
          action: { type: 'search', query: text },
        },
      ],
      () => [
        {
          type: 'mcp_call',
          id: `mcp_${at}`,
          server_label: 'docs',
          name: 'find',
          arguments: '{}',
          output: text,
          error: null,
        },
      ],
      () => [
        { type: 'program', id: `pr_${at}`, call_id: `p${at}`, code: text, fingerprint: 'f' },
        {
          type: 'function_call',
          id: `i_${at}`,
          call_id: id,
          name: 'read',
          arguments: '{}',
          status: 'completed',
          caller: { type: 'program', caller_id: `p${at}` },
        },
        { type: 'function_call_output', call_id: id, output: text },
        { type: 'program_output', id: `po_${at}`, call_id: `p${at}`, result: '2', status: 'completed' },
      ],
    ];
    return [...thought, ...dice.pick(kinds)()];
  },
  answer: (dice, at) => [
    { id: `msg_${at}`, status: 'completed', type: 'message', ...message('assistant', words(dice, at)) },
  ],
};

const anthropic: Steps = {
  question: (dice, at) => [
    {
      role: 'user',
      content: dice.hits(0.5)
        ? words(dice, at)
        : [
            {
              type: 'text',
              text: words(dice, at),
              ...(at % 7 === 0 && { cache_control: { type: 'ephemeral' } }),
            },
            ...some(dice, 0.4, () => ({
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: PNG },
            })),
            ...some(dice, 0.3, () => ({
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: words(dice, at) },
              citations: { enabled: true },
            })),
          ],
    },
  ],
  work(dice, at) {
    const ids = Array.from({ length: dice.whole(1, 3) }, (_, i) => `toolu_${at}_${i}`);
    const thinking = some(dice, 0.5, () => ({
      type: 'thinking',
      thinking: words(dice, at + 5),
      signature: `c2ln${at}`,
    }));
    const search: readonly Item[] = dice.hits(0.2)
      ? [
          { type: 'server_tool_use', id: `srvtoolu_${at}`, name: 'web_search', input: { query: 'mills' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: `srvtoolu_${at}`,
            content: [
              {
                type: 'web_search_result',
                url: 'https://mills.example',
                title: 'Mills',
                encrypted_content: words(dice, at),
              },
            ],
          },
        ]
      : [];
    return [
      {
        role: 'assistant',
        content: [
          ...thinking,
          ...search,
          ...some(dice, 0.6, () => ({ type: 'text', text: words(dice, at) })),
          ...ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: { path: `${id}.ts` } })),
        ],
      },
      {
        role: 'user',
        content: [
          ...ids.map((id, i) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: dice.hits(0.7) ? words(dice, at + i) : [{ type: 'text', text: words(dice, at + i) }],
            ...(dice.hits(0.2) && { is_error: true }),
          })),
          ...some(dice, 0.2, () => ({ type: 'text', text: '<system-reminder>Be quick.</system-reminder>' })),
        ],
      },
    ];
  },
  answer: (dice, at) => [{ role: 'assistant', content: [{ type: 'text', text: words(dice, at) }] }],
};

const gemini: Steps = {
  question: (dice, at) => [
    {
      role: 'user',
      parts: [
        { text: words(dice, at) },
        ...some(dice, 0.3, () => ({ inlineData: { mimeType: 'image/png', data: PNG } })),
      ],
    },
  ],
  work(dice, at) {
    const names = Array.from({ length: dice.whole(1, 3) }, (_, i) => `read${i}`);
    return [
      {
        role: 'model',
        parts: [
          ...some(dice, 0.3, () => ({ text: words(dice, at), thought: true })),
          ...some(dice, 0.2, () => ({ executableCode: { language: 'PYTHON', code: '1+1' } })),
          ...names.map((name, i) => ({
            functionCall: { name, args: { path: `${at}.ts` } },
            ...(i === 0 && { thoughtSignature: `sig-${at}` }),
          })),
        ],
      },
      {
        role: 'user',
        parts: names.map((name, i) => ({
          functionResponse: { name, response: { output: words(dice, at + i) } },
        })),
      },
    ];
  },
  answer: (dice, at) => [{ role: 'model', parts: [{ text: words(dice, at) }] }],
};

const WIRES: Readonly<Record<string, Steps>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  gemini,
};
const PROFILES = ['staged', 'agent', 'operator', 'pivot', 'reducer'] as const;
const BUDGETS = [900, 2_000, 5_000] as const;

const engines = new Map<string, Promise<Spillway>>();

function engineOf(profile: string, inputBudget: number): Promise<Spillway> {
  const key = `${profile} ${inputBudget}`;
  const known = engines.get(key) ?? createSpillway({ profile, inputBudget });
  engines.set(key, known);
  return known;
}

/**
 * One history as a client of a wire sends it, longer with each request, with the rare parts that its provider knows.
 * Checks that an uncompacted request is the one that came in, and that each is legal.
 */
export async function fuzzNative(seed: number): Promise<Fuzzed> {
  const dice = new Dice(seed);
  const [wire, profile, budget] = [dice.pick(Object.keys(WIRES)), dice.pick(PROFILES), dice.pick(BUDGETS)];
  const [steps, { messagesField }] = [WIRES[wire]!, formats.get(wire)!];
  const validate = validators.get(wire)!;
  const session = (await engineOf(profile, budget)).session({ format: wire });
  const history: Item[] = [];
  const found: { seed: number; where: string; what: string }[] = [];
  let requests = 0;
  const turns = dice.whole(3, 25);
  for (let at = 0, asked = true; at < turns; at++, asked = dice.hits(0.4)) {
    if (asked && at > 0) history.push(...steps.answer(dice, at));
    history.push(...(asked ? steps.question(dice, at) : steps.work(dice, at)));
    const where = `${wire}, ${profile} at ${budget}, request ${at + 1}`;
    const tell = (what: string): void => void found.push({ seed, where, what });
    const body = { [messagesField]: structuredClone(history) };
    const own = validate(body)[0];
    if (own) throw new Error(`${where}: the history itself breaks ${own.rule}: ${own.what}`);
    try {
      await session.follow(body);
      const { messages, beside } = await session.prepare();
      requests += 1;
      const fault = validate({ ...beside, [messagesField]: messages })[0];
      if (fault) tell(`${fault.rule} at message ${fault.at}: ${fault.what}`);
      const isWhole =
        session.view.length === session.log.length &&
        session.view.every(({ source, replaced }) => source && !replaced);
      if (isWhole && JSON.stringify(messages) !== JSON.stringify(history)) tell('it is not what came in');
    } catch (error) {
      if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') continue;
      tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
  return { requests, found };
}
