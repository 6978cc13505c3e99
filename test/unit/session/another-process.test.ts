import { openStore, SpillwayError, type SessionStore } from '../../../src/index.js';
import { endsOf } from '../../../src/transcript/index.js';
import { engine, idsIn, said, slow, talk, turns } from './short-session.js';

/* Another process stores messages of a session while this one works. */

/** A store that runs one function before it calls a method, and another before the method returns. */
function during(
  store: SessionStore,
  acts: Partial<Record<keyof SessionStore, { asked?: () => Promise<unknown>; answers?: () => void }>>,
): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      const own = Reflect.get(target, name) as unknown;
      const act = acts[name as keyof SessionStore];
      if (typeof own !== 'function' || !act) return own;
      return async (...given: unknown[]) => {
        await act.asked?.();
        const answer = (await Reflect.apply(own, target, given)) as unknown;
        act.answers?.();
        return answer;
      };
    },
  });
}

describe('while a compaction waits for its text', () => {
  async function waiting() {
    const store = await openStore('memory:');
    const { asked, answer, summarizer } = slow();
    const session = await (
      await engine({ store, summarizer, settings: { roster: ['auto'] } })
    ).open({
      id: 's',
    });
    await session.append(...talk(24));
    const other = await (await engine({ store })).open({ id: 's' });
    const prepared = session.prepare();
    await asked;
    return { session, other, prepared, answer };
  }

  it('a message that another process stored too is kept once, and the message after it is not lost', async () => {
    const { session, other, prepared, answer } = await waiting();
    const told = [session.append(said('x1', 'user', 1)), session.append(said('x2', 'user', 1))];
    await other.append(said('x1', 'user', 1));
    await session.operator.release(); // a write, which finds what the other process stored
    answer();
    await Promise.all([prepared, ...told]);
    expect(idsIn(session).slice(24)).toEqual(['x1', 'x2']);
    expect(idsIn(await other.load())).toEqual(idsIn(session));
  });

  it('only a message whose id another process has used for other content is refused', async () => {
    const { session, other, prepared, answer } = await waiting();
    const told = [session.append(said('x1', 'user', 1)), session.append(said('x2', 'user', 1))];
    await other.append(said('x1', 'user', 2));
    await session.operator.release();
    answer();
    const [, first, second] = await Promise.allSettled([prepared, ...told]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'MESSAGE_ID_TAKEN' } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    expect(idsIn(session).slice(24)).toEqual(['x1', 'x2']);
  });
});

it.each(['load', 'messages', 'entries'] as const)(
  'a flag that an operator sets while a session reads from a shared store is not lost (%s)',
  async (method) => {
    const store = await openStore('memory:');
    const other = await (await engine({ store })).open({ id: 's' });
    await other.append(...talk(12));
    await other.operator.compact({ target: 0.2 });
    let isReading = false;
    let flagged: Promise<unknown> | undefined;
    const answers = (): void => {
      if (isReading) flagged ??= session.operator.flag('c1', 'bad', 'lost a name');
    };
    const between = during(store, { [method]: { answers } });
    const session = await (await engine({ store: between })).open({ id: 's' });
    await other.append(said('x', 'user', 1));
    isReading = true;
    await session.load();
    await flagged;
    expect(session.operator.history[0]).toMatchObject({ flag: 'bad', notes: 'lost a name' });
    expect((await other.load()).operator.history[0]).toMatchObject({ flag: 'bad' });
    const audit = await other.operator.audit();
    expect(audit.filter(({ kind }) => kind === 'compaction.flagged')).toHaveLength(1);
  },
);

it('a rollback after another process has written leaves session and store with the same log, at any moment of an append', async () => {
  for (let moment = 0; moment < 60; moment++) {
    const store = await openStore('memory:');
    const other = await (await engine({ store })).open({ id: 's' });
    await other.append(...talk(8));
    let told: Promise<unknown> | undefined;
    let isRolling = false;
    const later = async (): Promise<void> => {
      await turns(moment);
      await session.append(said('ours', 'user', 1));
    };
    const asked = async (): Promise<void> => {
      if (!isRolling || told) return;
      told = Promise.resolve();
      await other.append(said('theirs', 'user', 1));
      told = later();
    };
    const session = await (await engine({ store: during(store, { write: { asked } }) })).open({ id: 's' });
    isRolling = true;
    await session.operator.rollback('m3');
    await told;
    const again = await (await engine({ store })).open({ id: 's' });
    expect(idsIn(again)).toEqual(idsIn(session));
    expect(idsIn(session).slice(0, 4)).toEqual(['m0', 'm1', 'm2', 'm3']);
  }
});

it.each(['commit', 'propose', 'edit', 'preview'] as const)(
  'a plan is refused if messages of another process were stored before the messages it was made on (%s)',
  async (how) => {
    const store = await openStore('memory:');
    const other = await (await engine({ store })).open({ id: 's' });
    await other.append(...talk(12));
    let goOn = (): void => undefined;
    const held = new Promise<void>((done) => (goOn = done));
    const late = during(store, { write: { asked: () => held } });
    const session = await (await engine({ store: late })).open({ id: 's' });
    const ours = ['x1', 'x2', 'x3', 'x4', 'x5'].map((id) => said(id, 'user'));
    await other.append(said('y', 'user'), said('y2', 'assistant'));
    const told = session.append(...ours);
    const { plan } = await session.operator.plan({ target: 0.1 });
    goOn();
    await told;
    expect(idsIn(session).slice(12)).toEqual(['y', 'y2', 'x1', 'x2', 'x3', 'x4', 'x5']);
    await expect(session.operator[how](plan!)).rejects.toMatchObject({ code: 'LEDGER_CONFLICT' });
    expect(session.operator.history).toEqual([]);
  },
);

it('a plan is refused if the log was rolled back to its last message, which is now the unanswered one', async () => {
  const store = await openStore('memory:');
  const session = await (await engine({ store })).open({ id: 's' });
  await session.append(said('first', 'user'), ...talk(15));
  const { plan } = await session.operator.plan({ target: 0.6 });
  const [, last] = endsOf(plan!.edits[0]!);
  await session.operator.rollback(last);
  expect(session.log.unansweredUser).toMatchObject({ id: last });
  await expect(session.operator.commit(plan!)).rejects.toMatchObject({ code: 'LEDGER_CONFLICT' });
});

it('the audit record of a commit is stored with the commit or not at all, at any moment of reading the audit', async () => {
  for (let moment = 0; moment < 20; moment++) {
    const store = await openStore('memory:');
    const other = await (await engine({ store })).open({ id: 's' });
    await other.append(...talk(12));
    const session = await (await engine({ store })).open({ id: 's' });
    const { plan } = await session.operator.plan({ target: 0.3 });
    await other.append(said('x', 'user', 1));
    const read = session.operator.audit();
    await turns(moment);
    const committed = session.operator.commit(plan!).catch(() => undefined);
    await Promise.all([read, committed]);
    const told = (await other.operator.audit()).filter(({ kind }) => kind === 'compaction.completed');
    expect(told).toHaveLength((await other.load()).operator.history.length);
  }
});

const chat = (...words: string[]) => ({
  messages: words.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
});

it('messages that a client sends to two processes are stored once, at any moment of a reload', async () => {
  for (let moment = 0; moment < 60; moment++) {
    const store = await openStore('memory:');
    const open = async () => (await engine({ store, format: 'openai-chat' })).open({ id: 's' });
    const [session, other] = [await open(), await open()];
    await session.follow(chat('one', 'two', 'three'));
    const words = chat('one', 'two', 'three', 'four', 'five');
    await other.follow(words);
    const read = session.load();
    await turns(moment);
    expect(await session.follow(words, { forks: true })).not.toMatchObject({ forked: true });
    await read;
    expect(idsIn(session)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(await session.operator.audit()).toEqual([]);
  }
});

it('new messages are taken in when another process stored the first of them and an operator rolls those back', async () => {
  const store = await openStore('memory:');
  const format = 'openai-chat';
  const other = await (await engine({ store, format })).open({ id: 's' });
  await other.follow(chat('one', 'two', 'three'));
  let takenBack: Promise<unknown> | undefined;
  const asked = async (): Promise<void> => {
    if (takenBack) return;
    takenBack = session.operator.rollback('m2');
    await other.follow(chat('one', 'two', 'three', 'four', 'five'));
  };
  const session = await (
    await engine({ store: during(store, { write: { asked } }), format })
  ).open({ id: 's' });
  await session.follow(chat('one', 'two', 'three', 'four', 'five', 'six', 'seven'));
  await takenBack;
  expect(idsIn(session)).toEqual(['m0', 'm1', 'm2', 'm3~4', 'm4~4', 'm5~4', 'm6~4']);
  expect(idsIn(await other.load())).toEqual(idsIn(session));
});

it('messages sent while a compaction waits for its text make no fork if an operator rolls back meanwhile', async () => {
  const { asked, answer, summarizer } = slow();
  const settings = { roster: ['auto'] };
  const options = { store: 'memory:', format: 'openai-chat', summarizer, settings };
  const session = await (await engine(options)).open({ id: 's' });
  const words = Array.from({ length: 27 }, (_, i) => `${i}: ${'the river runs past the mill. '.repeat(12)}`);
  await session.follow(chat(...words.slice(0, 25)));
  const prepared = session.prepare();
  await asked;
  const followed = session.follow(chat(...words), { forks: true });
  await turns(20);
  const rolledBack = session.operator.rollback('m22');
  answer();
  await Promise.all([prepared, rolledBack]);
  expect(await followed).not.toMatchObject({ forked: true });
  const said = session.log.between(0).map(({ parts }) => parts);
  expect(said).toEqual(words.map((text) => [{ type: 'text', text }]));
});

it('messages that a client takes back at two processes are rolled back once', async () => {
  const store = await openStore('memory:');
  const open = async () => (await engine({ store, format: 'openai-chat' })).open({ id: 's' });
  const [session, other] = [await open(), await open()];
  await session.follow(chat('one', 'two', 'three', 'four', 'five'));
  await other.load();
  const words = chat('one', 'two', 'other');
  await other.follow(words);
  const { appended } = await session.follow(words);
  expect(appended).toEqual([]);
  expect(idsIn(session)).toEqual(['m0', 'm1', 'm2~3']);
  const audit = await session.operator.audit();
  expect(audit.map(({ kind }) => kind)).toEqual(['compaction.rolled-back']);
});

describe('a client that takes messages back at one process and goes on at another', () => {
  const isAway = async (): Promise<never> => {
    throw new SpillwayError('STORE_FAILED', { subject: 'store', found: 'away', remedy: '', retryable: true });
  };

  /** One process opens the session after `before`; then the client goes on, and takes words back, at the other. */
  async function wentBack(onStoreFailure: 'open' | 'closed', ...before: string[]) {
    const store = await openStore('memory:');
    const other = await (await engine({ store, format: 'openai-chat' })).open({ id: 's' });
    await other.follow(chat('one', ...before));
    const asked: { asked?: () => Promise<unknown> } = {};
    const options = { store: during(store, { write: asked }), format: 'openai-chat', onStoreFailure };
    const session = await (await engine(options)).open({ id: 's' });
    await other.follow(chat('one', 'two', 'three', 'four', 'five'));
    await other.follow(chat('one', 'two', 'other'));
    return { session, other, asked };
  }
  const later = chat('one', 'two', 'other', 'more', 'newest');
  const said = later.messages.map(({ content }) => content);

  it('has its newest messages sent, also if they could not be stored at first', async () => {
    const { session, other, asked } = await wentBack('open');
    asked.asked = isAway;
    await session.follow(later);
    delete asked.asked;
    const { messages } = await session.prepare();
    expect(messages.map((one) => (one as { content: string }).content)).toEqual(said);
    expect(idsIn(await other.load())).toEqual(idsIn(session));
  });

  it('has its newest messages sent if the store failed, the call was rejected, and it asks again', async () => {
    const { session, asked } = await wentBack('closed');
    asked.asked = isAway;
    await expect(session.follow(later)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    delete asked.asked;
    await session.follow(later);
    const { messages } = await session.prepare();
    expect(messages.map((one) => (one as { content: string }).content)).toEqual(said);
  });

  it('is followed if it goes on from the messages that it took back', async () => {
    const { session } = await wentBack('closed', 'two', 'three');
    await session.follow(chat('one', 'two', 'three', 'new', 'words'));
    expect(idsIn(session)).toHaveLength(5);
  });
});
