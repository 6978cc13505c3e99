import { validateAnthropic, validateOpenAiChat } from '../../src/testkit/index.js';
import { join } from 'node:path';
import { openStore, type Session } from '../../src/index.js';
import { started } from './service/support.js';
import { but, KINDS, place } from './sessions/stores.js';
import { callOf, prose, resultOf, says, step, system, user, type Chat } from '../support/chats.js';
import { engine, said, spillway, talk, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const BUDGET = 4_000;
const SECRET_OF_THE_MILL = 'The seventh stone is the one that must be turned to the north.';
const OLD: Chat[] = [
  system('You build mills.'),
  user('Build the mill.'),
  ...step(
    'read_file',
    { path: 'plans/stones.md' },
    `${prose(150, 1)}\n${SECRET_OF_THE_MILL}\n${prose(150, 2)}`,
  ),
  says('The plans are read.'),
];
const LATER: Chat[] = [
  ...OLD,
  ...Array.from({ length: 12 }, (_, i) => [
    ...step('read_file', { path: `src/${i}.ts` }, prose(280, 10 + i)),
    says(`Part ${i} is built.`),
  ]).flat(),
  user('Which stone is turned?'),
];
/** The handle of the result that contains the words. */
const HANDLE = 'm3';
const body = (messages: readonly Chat[]) => ({ model: 'gpt-4o-mini', messages });

/** Follows a client, prepares a request and has the provider answer it; returns what was sent. */
async function ask(session: Session, messages: readonly Chat[]): Promise<string[]> {
  await session.follow(body(messages));
  const { messages: sent, reading } = await session.prepare();
  expect(validateOpenAiChat(sent)).toEqual([]);
  await session.observe({ inputTokens: reading.tokens, outputTokens: 5 });
  return sent.map((one) => JSON.stringify(one));
}

async function forgotten(options: Parameters<typeof engine>[2] = {}, settings = {}): Promise<Session> {
  const made = await engine(
    BUDGET,
    { model: 'gpt-4o-mini', recall: { automatic: 'off' }, ...settings },
    options,
  );
  const session = options.store ? await made.open({ id: 'mill' }) : made.session({ id: 'mill' });
  await ask(session, OLD);
  const sent = await ask(session, LATER);
  expect(sent.join('\n')).not.toContain(SECRET_OF_THE_MILL);
  return session;
}

const holds = (sent: readonly string[]): boolean => sent.some((one) => one.includes(SECRET_OF_THE_MILL));

describe('N18: an operator gives back messages that left', () => {
  it('N18: the next request has the words at its end, at the cost shown, and its earlier part is unchanged', async () => {
    const session = await forgotten();
    const before = (await session.prepare()).messages.map((one) => JSON.stringify(one));
    const shown = await session.operator.giveBack({ handle: HANDLE, preview: true });
    expect(shown).toMatchObject({ fits: true, inView: false, handle: HANDLE });
    expect(shown.text).toContain(SECRET_OF_THE_MILL);
    expect(shown.share).toBeCloseTo(shown.tokens / BUDGET, 9);
    expect(shown.cost!).toBeGreaterThan(shown.laterCost!);
    expect(await session.operator.givenBack()).toEqual([]);
    const log = session.log.length;
    expect((await session.prepare()).messages.map((one) => JSON.stringify(one))).toEqual(before);
    expect(session.log.length).toBe(log);

    const tokens = session.reading.tokens;
    const { id } = await session.operator.giveBack({ handle: HANDLE });
    expect(await session.operator.givenBack()).toMatchObject([{ id, handle: HANDLE, state: 'waiting' }]);
    const more = [...LATER, says('I do not know.'), user('Look again.')];
    const sent = await ask(session, more);
    expect(sent.slice(0, before.length)).toEqual(before);
    expect(sent.at(-1)).toContain(SECRET_OF_THE_MILL);
    expect(sent.at(-2)).toContain('Look again.');
    expect(session.reading.tokens - tokens - shown.tokens).toBeLessThan(40);
    const call = session.operator.calls.at(-1)!.call;
    expect(await session.operator.givenBack()).toMatchObject([{ id, state: 'seen', call }]);
    expect((await session.operator.find(SECRET_OF_THE_MILL)).verdict).toBe('sent');

    // The words remain byte for byte, once, while the client, which does not know them, continues.
    const next = await ask(session, [...more, says('The seventh.'), user('Good.')]);
    expect(next.slice(0, sent.length)).toEqual(sent);
    expect(next.filter((one) => one.includes(SECRET_OF_THE_MILL))).toHaveLength(1);
    expect(session.log.at(3).parts).toHaveLength(1);
  });

  it('N18: the state is `sent` after a request that was prepared but not answered', async () => {
    const session = await forgotten();
    await session.operator.giveBack({ handle: HANDLE });
    await session.prepare();
    expect((await session.operator.givenBack())[0]!.state).toBe('sent');
  });

  it('N18: a later compaction removes the words again like anything else', async () => {
    const session = await forgotten();
    await session.operator.giveBack({ handle: HANDLE });
    const sent = await ask(session, [...LATER, says('The seventh.'), user('Good.')]);
    expect(holds(sent)).toBe(true);
    const much = [...LATER, says('The seventh.'), user('Good.'), ...talk(12, 200)];
    expect(holds(await ask(session, much))).toBe(false);
  });

  it('N18: the words are sent again if the client goes back to an earlier message, and no call fails', async () => {
    const session = await forgotten();
    const { id } = await session.operator.giveBack({ handle: HANDLE });
    const asked = [...LATER, says('I do not know.'), user('Look again.')];
    for (const answer of ['The third.', 'The fifth.']) {
      expect((await ask(session, asked)).at(-1)).toContain(SECRET_OF_THE_MILL);
      expect(holds(await ask(session, [...asked, says(answer), user('Sure?')]))).toBe(true);
    }
    expect(holds(await ask(session, asked))).toBe(true);
    expect(await session.operator.givenBack()).toMatchObject([{ id, state: 'seen' }]);
  });

  it('N18: the words come after the result of an open call', async () => {
    const session = await forgotten();
    const open = [...LATER, callOf([['call_open', 'bash', { command: 'ls' }]])];
    await session.follow(body(open));
    await session.operator.giveBack({ handle: HANDLE });
    const sent = await ask(session, [...open, resultOf('call_open', 'src')]);
    expect(sent.at(-1)).toContain(SECRET_OF_THE_MILL);
    expect(sent.at(-2)).toContain('call_open');
  });

  it('N18: the words come after the results of an open tool loop with signed reasoning (Anthropic)', async () => {
    const made = await engine(BUDGET, { model: 'claude-sonnet-4-5', recall: { automatic: 'off' } });
    const session = made.session({ format: 'anthropic' });
    const thought = { type: 'thinking', thinking: 'The stones first.', signature: 'c2lnbmVk' };
    const looks = (i: number) => [
      {
        role: 'assistant',
        content: [
          ...(i === 0 ? [thought] : []),
          { type: 'tool_use', id: `t${i}`, name: 'read', input: { i } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `stone ${i} lies` }] },
    ];
    const request = (steps: number) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      messages: [
        { role: 'user', content: SECRET_OF_THE_MILL },
        { role: 'assistant', content: 'I see.' },
        { role: 'user', content: 'Lay them.' },
        ...Array.from({ length: steps }, (_, i) => looks(i)).flat(),
      ],
    });
    const sent = async (steps: number): Promise<string[]> => {
      await session.follow(request(steps));
      const { messages } = await session.prepare();
      expect(validateAnthropic({ ...request(steps), messages })).toEqual([]);
      return messages.map((one) => JSON.stringify(one));
    };
    const before = await sent(1);
    await session.operator.giveBack({ handle: 'm0' });
    const carried = await sent(2);
    expect(carried.slice(0, before.length)).toEqual(before);
    expect(carried.at(-1)).toMatch(/stone 1 lies.*seventh stone/s);
    expect((await sent(3)).slice(0, carried.length)).toEqual(carried);
  });

  it.each(KINDS)(
    'N18: the process that prepares next sends the words, and later requests contain them once (%s)',
    async (kind) => {
      const { store, again } = await place(kind);
      const first = await forgotten({ store });
      const { id } = await first.operator.giveBack({ handle: HANDLE });
      const other = await engine(
        BUDGET,
        { model: 'gpt-4o-mini', recall: { automatic: 'off' } },
        { store: await again() },
      );
      const session = await other.open({ id: 'mill' });
      const more = [...LATER, says('I do not know.'), user('Look again.')];
      expect((await ask(session, more)).at(-1)).toContain(SECRET_OF_THE_MILL);
      expect(await session.operator.givenBack()).toMatchObject([{ id, state: 'seen' }]);
      const third = await (
        await engine(BUDGET, { recall: { automatic: 'off' } }, { store: await again() })
      ).open({ id: 'mill' });
      expect(await third.operator.givenBack()).toMatchObject([{ id, state: 'seen' }]);
      const next = await ask(third, [...more, says('The seventh.'), user('Good.')]);
      expect(next.filter((one) => one.includes(SECRET_OF_THE_MILL))).toHaveLength(1);
    },
  );

  it('N18: a span for which no compaction can make room is refused, with the size that would fit', async () => {
    const session = await forgotten();
    await session.append(said('large', prose(1_500, 77)));
    const span = 'm3, m5..m30';
    const shown = await session.operator.giveBack({ handle: span, preview: true });
    expect(shown).toMatchObject({ fits: false, compacts: true });
    const refused = await session.operator.giveBack({ handle: span }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'GIVE_BACK_TOO_LARGE',
      facts: { tokens: shown.tokens, room: shown.room },
    });
    expect(String((refused as Error).message)).toContain(`maxTokens`);
    expect(await session.operator.givenBack()).toEqual([]);
    await session.operator.giveBack({ handle: span, maxTokens: shown.room });
    const { reading } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect((await session.operator.givenBack())[0]!.state).toBe('sent');
  });

  it('N18: the words are left out, with a warning, if new messages take the room', async () => {
    const session = await forgotten();
    const warnings: string[] = [];
    session.events.subscribe((event) => event.kind === 'warning' && warnings.push(event.code));
    await session.operator.giveBack({ handle: HANDLE });
    const sent = await ask(session, [...LATER, says('No.'), user(prose(3_200, 55))]);
    expect(holds(sent)).toBe(false);
    expect(warnings).toContain('give-back-left-out');
    expect(await session.operator.givenBack()).toMatchObject([{ state: 'left-out' }]);
    expect(await session.operator.givenBack()).not.toHaveProperty('0.call');
  });

  it('N18: all waiting words are sent, even if the store failed when the first of them were due', async () => {
    const store = await openStore('memory:');
    let isAway = false;
    const shaky = but(store, {
      write: (...given) => (isAway ? Promise.reject(new Error('away')) : store.write(...given)),
    });
    const session = await forgotten({ store: shaky });
    const first = await session.operator.giveBack({ handle: HANDLE, maxTokens: 150 });
    const second = await session.operator.giveBack({ handle: 'm5', maxTokens: 150 });
    isAway = true;
    await expect(session.prepare()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    isAway = false;
    const sent = JSON.stringify((await session.prepare()).messages);
    for (const { text } of [first, second]) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    expect(await session.operator.givenBack()).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  });

  it('N18: the HTTP API gives back, with a dry run before and a list after', async () => {
    const service = await started(BUDGET);
    await service.post('/sessions', { id: 'mill' });
    const prepared = async (messages: readonly Chat[]): Promise<string> => {
      const { body: answer } = await service.post('/sessions/mill/prepare', { request: body(messages) });
      await service.post('/sessions/mill/observe', { input_tokens: 2_000, output_tokens: 20 });
      return JSON.stringify(answer.messages);
    };
    await prepared(OLD);
    expect(await prepared(LATER)).not.toContain(SECRET_OF_THE_MILL);
    const dry = await service.post('/sessions/mill/give-back', { handle: HANDLE, dry_run: true });
    expect(dry.body).toMatchObject({ fits: true, handle: HANDLE });
    expect(dry.body).not.toHaveProperty('id');
    const { status, body: act } = await service.post('/sessions/mill/give-back', { handle: HANDLE });
    expect([status, act.tokens]).toEqual([200, dry.body.tokens]);
    const refused = await service.post('/sessions/mill/give-back', { handle: 'm3, m5..m39' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'GIVE_BACK_TOO_LARGE']);
    expect(await prepared([...LATER, says('No.'), user('Look again.')])).toContain(SECRET_OF_THE_MILL);
    const { body: list } = await service.get('/sessions/mill/give-back');
    expect(list.items).toMatchObject([{ id: act.id, handle: HANDLE, state: 'seen' }]);
  });

  it('N18: the command line gives back, with the cost before and a list after', async () => {
    const url = `sqlite:${join(folder.path, 'mill.db')}`;
    const store = await openStore(url);
    const session = await forgotten({ store });
    const run = async (...more: string[]) => {
      const { code, out, err } = await spillway([
        'give-back',
        'mill',
        ...more,
        '--store',
        url,
        '--window',
        '4000',
      ]);
      return { code, out, err };
    };
    const shown = await run(HANDLE, '--preview');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/^\d+ tokens, \d+.* of the budget/);
    expect(shown.out).toContain(SECRET_OF_THE_MILL);
    expect((await run()).out).toBe('nothing was given back\n');
    expect((await run(HANDLE)).out).toContain('waits for the next request');
    expect((await run()).out).toMatch(/^waiting +m3 /);
    expect(holds(await ask(session, [...LATER, says('No.'), user('Look again.')]))).toBe(true);
    expect((await run()).out).toMatch(/^seen +m3 .* call \d+\n$/);
    await store.close();
  });

  it('N18: a query selects passages, an unknown price is null, and bad handles are refused', async () => {
    const session = await forgotten({}, { model: null });
    const { text, cost, laterCost } = await session.operator.giveBack({
      handle: HANDLE,
      query: 'seventh stone north',
      preview: true,
    });
    expect(text).toContain(SECRET_OF_THE_MILL);
    expect([cost, laterCost]).toEqual([null, null]);
    const before = session.log.length;
    await expect(session.operator.giveBack({ handle: 'm999' })).rejects.toMatchObject({
      code: 'MESSAGE_UNKNOWN',
    });
    await expect(session.operator.giveBack({ handle: '' })).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    });
    await expect(session.operator.giveBack({} as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
    expect(session.log.length).toBe(before);
    const newest = session.log.at(before - 1).id;
    expect((await session.operator.giveBack({ handle: newest, preview: true })).inView).toBe(true);
  });
});
