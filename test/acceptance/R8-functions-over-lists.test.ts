import { join } from 'node:path';
import { collapsePrefix, expire, LONG } from '../../examples/reducers.js';
import { createSpillway, reducerStage } from '../../src/index.js';
import type {
  CompactionStage,
  ContextMessage,
  Message,
  Part,
  Reduce,
  ReducerBudget,
} from '../../src/index.js';
import { judge, STAGE_RULES, validateOpenAiChat } from '../../src/testkit/index.js';
import { callOf, prose, quarter, resultOf, says, system, user } from '../support/chats.js';
import { read, talk, temporaryFolder } from './support.js';

const folder = temporaryFolder();

const CHAT = read([
  system('Be brief.'),
  user('Build a mill.'),
  callOf([['c1', 'search', { query: 'stone' }]]),
  resultOf('c1', prose(300, 1)),
  says(`There is stone by the river. ${prose(60, 3)}`),
  ...talk(6, 60),
  user('Go on.'),
]);

async function play(
  stages: readonly CompactionStage[],
  {
    messages = CHAT,
    settings = {},
    store,
  }: { messages?: readonly Message[]; settings?: object; store?: string } = {},
) {
  const spillway = await createSpillway({
    counter: quarter,
    inputBudget: 1_000,
    ...(store !== undefined && { store }),
    stages: stages as readonly CompactionStage[],
    settings: {
      safetyMargin: 0,
      ...settings,
      roster: stages.map(({ name }) => ({ stage: name, opensAt: 0.7 })),
    },
  });
  const session = spillway.session();
  session.append(...messages);
  return { spillway, session, prepared: await session.prepare() };
}

/** How a stage failed: the outcome and its first fault. */
async function faultOf(stage: CompactionStage): Promise<{ outcome: string; message: string }> {
  const { prepared, session } = await play([stage]);
  expect(session.log.length).toBe(CHAT.length);
  const told = prepared.run.stages.find(({ stage: name }) => name === stage.name)!;
  return { outcome: told.outcome, message: told.faults[0]?.message ?? '' };
}

const reducing = (reduce: Reduce<unknown>): CompactionStage =>
  reducerStage({ name: 'mine', summary: 'Tries something.', reduce }) as CompactionStage;

const replacing = (make: (messages: readonly ContextMessage[]) => unknown): CompactionStage =>
  reducing((context) => ({ context: make(context) as readonly Message[] }));

const note = (id: string, text = 'What came before.'): Message => ({
  id,
  role: 'assistant',
  origin: 'synthetic',
  parts: [{ type: 'text', text }],
});

describe('R8: reduce(context, budget, state) as a stage', () => {
  it('R8: reducers run in order, each with the remaining context, the target and the caps', async () => {
    const seen: { who: string; tokens: number; budget: number; ceiling: number; caps: unknown }[] = [];
    const watched = (stage: typeof expire | typeof collapsePrefix): CompactionStage =>
      ({
        ...stage,
        plan(view: never, goal: never) {
          const told = reducerStage({
            name: stage.name,
            summary: stage.summary,
            reduce(context: readonly ContextMessage[], budget: ReducerBudget) {
              const tokens = context.reduce((sum, message) => sum + message.tokens, 0);
              seen.push({
                who: stage.name,
                tokens,
                budget: budget.tokens,
                ceiling: budget.ceiling,
                caps: budget.caps,
              });
              return { context };
            },
          });
          told.plan(view, goal);
          return stage.plan(view, goal);
        },
      }) as CompactionStage;
    const { prepared } = await play([watched(expire), watched(collapsePrefix)], {
      messages: LONG,
      settings: { caps: { toolResults: 0.3 } },
    });
    expect(prepared.run.kind).toBe('committed');
    expect(prepared.run.stages.map(({ stage, outcome }) => [stage, outcome])).toEqual([
      ['expire', 'applied'],
      ['collapse-prefix', 'applied'],
    ]);
    expect(seen.map(({ who }) => who)).toEqual(['expire', 'collapse-prefix']);
    expect(seen[1]!.tokens).toBeLessThan(seen[0]!.tokens);
    for (const { budget, ceiling, caps } of seen) {
      // The target of a budget of 1,000.
      expect(budget).toBeLessThanOrEqual(600);
      expect([ceiling, caps]).toEqual([1_000, { toolResults: 300 }]);
    }
    expect(prepared.reading.pressure).toBeLessThanOrEqual(0.6);
    expect(validateOpenAiChat(prepared.messages as never)).toEqual([]);
    const results = prepared.messages.filter((message) => (message as { role: string }).role === 'tool');
    expect(results.length).toBeGreaterThan(0);
    for (const message of prepared.messages) expect(JSON.stringify(message)).not.toContain('undefined');
  });

  it('R8: the text of a reducer is sent, and the log keeps the original', async () => {
    const { session, prepared } = await play([
      reducing((context) => ({
        context: context.map((message) =>
          message.role === 'tool'
            ? {
                ...message,
                parts: message.parts.map((part) =>
                  part.type === 'tool-result'
                    ? { ...part, content: [{ type: 'text' as const, text: 'Stone, by the river.' }] }
                    : part,
                ),
              }
            : message,
        ),
      })),
    ]);
    expect(prepared.messages[3]).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: 'Stone, by the river.',
    });
    expect(JSON.stringify(session.log.at(3).parts)).toContain(prose(300, 1).slice(0, 40));
  });

  it('R8: a reducer can rewrite or remove single parts of a message', async () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages = read([
      system('Be brief.'),
      user('Build a mill.'),
      { ...callOf([['c1', 'search', { query: prose(150, 5) }]]), content: 'I look for stone.' },
      resultOf('c1', prose(100, 1)),
      { role: 'user', content: [{ type: 'text', text: 'So?' }, picture, { type: 'text', text: 'And?' }] },
      ...talk(6, 60),
      user('Go on.'),
    ]);
    const short = (part: Part): Part =>
      part.type === 'tool-call' ? { ...part, arguments: '{"query":"stone"}' } : part;
    const shorter = (all: readonly ContextMessage[]) =>
      all.map((one) => ({
        ...one,
        parts:
          one.id === 'm4'
            ? one.parts.filter(({ type }) => type === 'text').slice(0, 1)
            : one.parts.map(short),
      }));
    const { prepared } = await play([replacing(shorter)], { messages });
    expect(prepared.messages.slice(2, 5)).toMatchObject([
      { content: 'I look for stone.', tool_calls: [{ function: { arguments: '{"query":"stone"}' } }] },
      { role: 'tool', content: prose(100, 1) },
      { role: 'user' },
    ]);
    expect(JSON.stringify(prepared.messages)).not.toContain('AAAA');
  });

  it('R8: a reducer gets its state back in the next run and after a restart', async () => {
    const store = `sqlite:${join(folder.path, 'states.db')}`;
    const states: unknown[] = [];
    const counting = reducing((context, budget, state) => {
      states.push(state);
      const free = context.filter(({ fixed }) => fixed === undefined);
      const total = context.reduce((sum, { tokens }) => sum + tokens, 0);
      const left = new Set<ContextMessage>();
      let tokens = total;
      for (const message of free) {
        if (
          tokens <= budget.tokens &&
          !free.some((other) => left.has(other) && other.exchange === message.exchange)
        )
          break;
        left.add(message);
        tokens -= message.tokens;
      }
      return {
        context: context.filter((message) => !left.has(message)),
        state: {
          run: ((state as { run: number } | undefined)?.run ?? 0) + 1,
          upTo: [...left].at(-1)?.id ?? null,
        },
      };
    });
    const options = {
      counter: quarter,
      inputBudget: 1_000,
      store,
      stages: [counting],
      settings: { safetyMargin: 0, roster: [{ stage: 'mine', opensAt: 0.7 }] },
    };
    const first = await createSpillway(options);
    const session = await first.open({ id: 's' });
    session.append(...CHAT);
    expect((await session.prepare()).run.kind).toBe('committed');
    session.append(
      ...read([says('Done.'), ...talk(6, 60, 300), user('On.')]).map((m, i) => ({ ...m, id: `n${i}` })),
    );
    expect((await session.prepare()).run.kind).toBe('committed');
    await first.close();

    const second = await createSpillway(options);
    const again = await second.open({ id: 's' });
    again.append(
      ...read([says('Done.'), ...talk(6, 60, 500), user('On.')]).map((m, i) => ({ ...m, id: `o${i}` })),
    );
    expect((await again.prepare()).run.kind).toBe('committed');
    await second.close();
    expect(states[0]).toBeUndefined();
    expect(states.slice(1)).toEqual([
      { run: 1, upTo: expect.any(String) },
      { run: 2, upTo: expect.any(String) },
    ]);
  });

  it.each<[string, CompactionStage, string, RegExp]>([
    ['no list', replacing(() => 'nothing'), 'failed', /reducer mine returned string in the place of a list/],
    [
      'nothing at all',
      reducing(() => undefined as never),
      'failed',
      /reducer mine returned undefined in the place of \{ context, state \}/,
    ],
    [
      'a promise',
      reducing((async () => ({ context: [] })) as never),
      'failed',
      /reducer mine returned a promise/,
    ],
    [
      'another order',
      replacing((all) => [...all.slice(0, 4), all[5], all[4], ...all.slice(6)]),
      'failed',
      /puts m4 after m5, which is newer/,
    ],
    ['a message twice', replacing((all) => [...all, all[2]]), 'failed', /holds m2 twice/],
    [
      'a message where none left',
      replacing((all) => [...all.slice(0, 4), note('extra'), ...all.slice(4)]),
      'failed',
      /adds a message after m3, where no message left/,
    ],
    [
      'another role',
      replacing((all) => all.map((one) => (one.id === 'm4' ? { ...one, role: 'user' } : one))),
      'failed',
      /makes m4, an? assistant message, one of user/,
    ],
    [
      'what is no message',
      replacing((all) => [...all.slice(0, 5), { text: 'hello' }]),
      'failed',
      /no message at 5/,
    ],
    [
      'a tool message of its own',
      replacing((all) => [...all.slice(0, 4), { ...all[3], id: 'mine' }, ...all.slice(6)]),
      'failed',
      /brings in a tool message at 4/,
    ],
    [
      'a call without its result',
      replacing((all) => all.filter(({ id }) => id !== 'm3')),
      'refused',
      /supersede splits m2\.\.m3/,
    ],
    [
      'a result without its call',
      replacing((all) => all.filter(({ id }) => id !== 'm2')),
      'refused',
      /supersede splits m2\.\.m3/,
    ],
    [
      'a call taken out of its message',
      replacing((all) =>
        all.map((one) => (one.id === 'm2' ? { ...one, parts: one.parts.slice(0, -1) } : one)),
      ),
      'failed',
      /removes the tool-call c1 from m2/,
    ],
    [
      'a call of another tool',
      replacing((all) =>
        all.map((one) => ({
          ...one,
          parts: one.parts.map((part) => (part.type === 'tool-call' ? { ...part, name: 'rm' } : part)),
        })),
      ),
      'failed',
      /gives the call c1 of m2 another tool/,
    ],
    [
      'a part that is none',
      replacing((all) => [...all.slice(0, 4), { ...note('mine'), parts: [{ type: 'text' }] }]),
      'failed',
      /returned a message at 4 with what is no part/,
    ],
    [
      'thinking of its own',
      replacing((all) =>
        all.map((one) => (one.id === 'm4' ? { ...one, parts: [{ type: 'reasoning', text: 'Hm.' }] } : one)),
      ),
      'failed',
      /reasoning/,
    ],
    [
      'other words of the user',
      replacing((all) =>
        all.map((one) => (one.id === 'm5' ? { ...one, parts: [{ type: 'text', text: 'Yes.' }] } : one)),
      ),
      'refused',
      /other words into the mouth of the user/,
    ],
    [
      'a message of the system',
      replacing((all) => [...all.slice(0, 2), { ...note('boss', 'Obey.'), role: 'system' }, ...all.slice(9)]),
      'refused',
      /replaces a span by a system message/,
    ],
    [
      'the unanswered question left out',
      replacing((all) => all.slice(0, -1)),
      'refused',
      /covers m\d+, which is unanswered/,
    ],
    [
      'more than there was',
      replacing((all) => [...all.slice(0, 4), note('long', prose(400, 9)), ...all.slice(5)]),
      'refused',
      /would not shrink the view/,
    ],
    [
      'a write to what it was given',
      replacing((all) => {
        (all[4] as { parts: unknown }).parts = [];
        return all;
      }),
      'failed',
      /read only/,
    ],
  ])('R8: %s is refused with the reason, and the log stays complete', async (_, stage, outcome, why) => {
    const { outcome: was, message } = await faultOf(stage);
    expect(was).toBe(outcome);
    expect(message).toMatch(why);
  });

  it('R8: a pin that a reducer leaves out remains, and its summary comes after the first user message', async () => {
    const { prepared } = await play([replacing((all) => [note('sum'), ...all.slice(-3)])]);
    expect(prepared.run.stages[0]).toMatchObject({ outcome: 'applied', edits: 1 });
    const said = prepared.messages.slice(0, 3) as { role: string; content: string }[];
    expect(said.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Build a mill.'],
      ['assistant', 'What came before.'],
    ]);
  });

  it('R8: a summary of a reducer is replaced by its next one', async () => {
    let runs = 0;
    const rolling = replacing((all) => [
      ...all.slice(0, 2),
      note('rolling', `Run ${++runs}.`),
      ...all.slice(-3),
    ]);
    const { session, prepared } = await play([rolling]);
    expect(JSON.stringify(prepared.messages)).toContain('Run 1.');
    session.append(
      ...read([says('Done.'), ...talk(6, 60, 300), user('On.')]).map((m, i) => ({ ...m, id: `n${i}` })),
    );
    const { messages, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(JSON.stringify(messages)).toContain('Run 2.');
    expect(JSON.stringify(messages)).not.toContain('Run 1.');
  });
});

describe('R8: a reducer under the contract of a stage', () => {
  it.each<[string, CompactionStage, readonly unknown[]]>([
    ['a reducer of parts', expire as CompactionStage, [{ turns: 1 }]],
    ['a reducer of spans', collapsePrefix as CompactionStage, []],
  ])('R8: %s keeps every rule of the conformance kit', async (_, stage, options) => {
    const verdicts = await judge({ stage, options }, STAGE_RULES);
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    const unexercised = verdicts.filter(({ exercised }) => !exercised).map(({ id }) => id);
    expect(unexercised).toEqual([]);
  });

  it('R8: a reducer that separates calls from results breaks a rule of the kit', async () => {
    const careless = replacing((all) => all.filter(({ role }) => role !== 'tool'));
    const broken = (await judge({ stage: careless }, STAGE_RULES)).filter(({ holds }) => !holds);
    expect(broken.map(({ id }) => id)).toContain('STAGE-08');
  });
});
