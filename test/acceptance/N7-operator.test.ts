import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openStore, type Message, type Session, type SessionStore } from '../../src/index.js';
import { startPostgres, type TestPostgres } from '../support/postgres.js';
import {
  engine,
  prose,
  read,
  says,
  spillway,
  step,
  system,
  temporaryFolder,
  user,
  type Chat,
} from './support.js';
import { KINDS, place, type Place } from './sessions/stores.js';
import { defineSummarizer } from './sessions/summarizer.js';

/** Stores on machines that do other things too. */
jest.setTimeout(60_000);

const BUDGET = 4_000;
const BOUND = 'Never push to the release branch without asking me first.';
const KEPT = 'Do not touch the billing module.';
const OTHER = 'Always run the linter before you commit anything.';

const work = (from: number, to: number): Chat[] =>
  Array.from({ length: to - from }, (_, i) => [
    ...step('read_file', { path: `src/stone${from + i}.ts` }, prose(300, from + i)),
    says(`Stone ${from + i} is laid.`),
    user(`Go on with stone ${from + i + 1}, please. ${prose(60, from + i)}`),
  ]).flat();

/** Bounds in the middle of the work, so that they leave the request with it. */
const CHAT = [
  system('You build mills.'),
  user('Build the mill.'),
  ...work(0, 2),
  user(`${BOUND} ${KEPT} ${OTHER}`),
  ...step('TodoWrite', { todos: [{ content: 'Hang the door', status: 'pending' }] }, 'ok'),
  ...step('write_file', { path: 'src/mill/door.ts', content: 'export const door = 1;' }, 'written'),
  ...step('bash', { command: 'npm test' }, 'FAIL test/door.test.ts\nTests: 1 failed, 3 passed\nexit code 1'),
  ...work(2, 30),
  user('Go on.'),
];

const openOn = async (store: SessionStore | null): Promise<Session> => {
  const { summarizer } = defineSummarizer();
  const spillway = await engine(BUDGET, {}, { summarizer, ...(store && { store }) });
  return store ? spillway.open({ id: 'mill' }) : spillway.session({ id: 'mill' });
};

const sentBy = async (session: Session): Promise<string> =>
  JSON.stringify((await session.prepare()).messages).replaceAll('\\"', '"');
const carriedBy = ({ view }: Session): string =>
  JSON.stringify(view.find(({ message }) => message.label === 'claims')?.message.parts ?? '');
const refOf = ({ operator }: Session, text: string): string =>
  operator.claims.find((claim) => claim.text.includes(text))!.ref;

/** A session whose bounds are carried beside a summary that does not say them. */
async function carrying(store: SessionStore | null = null): Promise<Session> {
  const session = await openOn(store);
  await session.append(...read(CHAT));
  await session.prepare();
  expect(carriedBy(session)).toContain(BOUND);
  return session;
}

/** Messages that come later: ids of their own. */
const named = (chat: readonly Chat[], name: string): readonly Message[] =>
  read(chat).map((message, i) => ({ ...message, id: `${name}-${i}` }));

/** Work goes on until something is compacted again. */
async function goOn(session: Session, seed = 40): Promise<void> {
  const before = session.operator.history.length;
  for (let i = 0; session.operator.history.length === before; i++) {
    await session.append(...named(work(seed + i, seed + i + 1), `w${seed + i}`));
    await session.prepare();
    if (i > 40) throw new Error('nothing was compacted');
  }
}

describe('N7: an operator ends a claim by hand', () => {
  it('N7: it is left out of what the next compaction carries, and nothing else is', async () => {
    const session = await carrying();
    const before = await sentBy(session);
    const ref = refOf(session, BOUND);
    const end = await session.operator.endClaim(ref, { by: 'ada', notes: 'the branch is gone' });
    expect(end).toMatchObject({ by: 'ada', notes: 'the branch is gone', at: expect.any(Number) });
    expect(session.operator.claims.find((claim) => claim.ref === ref)).toMatchObject({
      status: 'superseded',
      ended: end,
    });

    // Between two compactions a request only grows: the provider's cache stays good.
    expect(await sentBy(session)).toBe(before);
    await goOn(session);
    const carried = carriedBy(session);
    expect(carried).not.toContain(`- “${BOUND}`);
    expect(carried).toContain(KEPT);
    expect(carried).toContain(OTHER);
  });

  it('N7: explain says who ended it, when and why, now and of the calls since', async () => {
    const session = await carrying();
    await session.observe({ inputTokens: 3_000 });
    const ref = refOf(session, BOUND);
    await session.operator.endClaim(ref, { by: 'ada', notes: 'the branch is gone' });
    await goOn(session);
    await session.prepare();
    await session.observe({ inputTokens: 3_000 });
    const ended = { ref, kind: 'constraint', text: BOUND, by: 'ada', notes: 'the branch is gone' };
    const message = session.operator.claims.find((claim) => claim.ref === ref)!.id;
    const told = session.operator.explain().find(({ id }) => id === message);
    expect(told).toMatchObject({ status: 'superseded', endedClaims: [ended] });
    const found = await session.operator.find('release branch');
    expect(found.said.find(({ id }) => id === message)).toMatchObject({ endedClaims: [ended] });
    const { messages } = await session.operator.explainCall(1);
    expect(messages.find(({ id }) => id === message)!.endedClaims).toBeUndefined();
  });

  it('N7: taken back, the claim is carried again', async () => {
    const session = await carrying();
    const ref = refOf(session, BOUND);
    await session.operator.endClaim(ref);
    await goOn(session);
    await session.operator.restoreClaim(ref, { by: 'ada' });
    expect(session.operator.claims.find((claim) => claim.ref === ref)).toMatchObject({ status: 'live' });
    expect(session.operator.claims.find((claim) => claim.ref === ref)!.ended).toBeUndefined();
    await goOn(session, 90);
    expect(carriedBy(session)).toContain(BOUND);
  });

  it('N7: said again by the user it is another claim, and stands', async () => {
    const session = await carrying();
    const ref = refOf(session, BOUND);
    await session.operator.endClaim(ref);
    await session.append(...named([user(BOUND)], 'again'));
    const again = session.operator.claims.filter(({ text }) => text === BOUND).at(-1)!;
    expect(again).toMatchObject({ status: 'live' });
    expect(again.ref).not.toBe(ref);
    await goOn(session);
    await goOn(session, 90);
    expect(await sentBy(session)).toContain(BOUND);
    expect(carriedBy(session)).not.toMatch(/ended by an operator/i);
  });

  it('N7: a step, a failing check and a changed file are ended as well', async () => {
    const session = await carrying();
    for (const words of ['Hang the door', 'door.test.ts', 'npm test → '])
      expect(carriedBy(session)).toContain(words);
    await session.operator.endClaim(refOf(session, 'Hang the door'));
    await session.operator.endClaim(refOf(session, 'npm test'));
    await session.operator.endClaim(
      session.operator.files.find(({ path }) => path.endsWith('door.ts'))!.ref!,
    );
    await goOn(session);
    const carried = carriedBy(session);
    for (const words of ['Hang the door', 'npm test → ', 'src/mill/door.ts'])
      expect(carried).not.toContain(words);
    expect(carried).toContain(BOUND);
  });

  it('N7: where its words still stand in the request, the request says that they hold no more', async () => {
    const session = await openOn(null);
    await session.append(
      ...read([system('You build mills.'), ...work(0, 12), user(BOUND), says('I will not.')]),
    );
    await session.operator.endClaim(refOf(session, BOUND), { by: 'ada' });
    await session.operator.compact({ target: 0.4 });
    const sent = await sentBy(session);
    expect(sent.split(BOUND).length).toBeGreaterThan(2);
    expect(carriedBy(session)).toMatch(/ended by an operator[^-]*- “Never push/i);
  });

  it('N7: ending twice and bringing back twice do nothing twice', async () => {
    const session = await carrying();
    const ref = refOf(session, BOUND);
    const first = await session.operator.endClaim(ref, { by: 'ada' });
    expect(await session.operator.endClaim(ref, { by: 'bob' })).toEqual(first);
    await session.operator.restoreClaim(ref);
    await session.operator.restoreClaim(ref);
    const kinds = (await session.operator.audit()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('compaction.claim'))).toEqual([
      'compaction.claim-ended',
      'compaction.claim-restored',
    ]);
  });

  it('N7: what is no claim, or ended by words, is refused by name', async () => {
    const session = await carrying();
    await session.append(...named([user('You may touch the billing module now.')], 'later'));
    const ended = refOf(session, KEPT);
    const acts = [
      [() => session.operator.endClaim('nobody'), 'CLAIM_UNKNOWN'],
      [() => session.operator.restoreClaim('nobody'), 'CLAIM_UNKNOWN'],
      [() => session.operator.endClaim(ended), 'CLAIM_ENDED'],
      [() => session.operator.restoreClaim(ended), 'CLAIM_ENDED'],
      [() => session.operator.endClaim(7 as never), 'ARGUMENT_INVALID'],
      [() => session.operator.endClaim(refOf(session, BOUND), { by: 7 } as never), 'ARGUMENT_INVALID'],
      [
        () => session.operator.restoreClaim(refOf(session, BOUND), { who: 'me' } as never),
        'ARGUMENT_INVALID',
      ],
    ] as const;
    for (const [act, code] of acts) await expect(act()).rejects.toMatchObject({ code });
    expect(session.operator.claims.filter((claim) => claim.ended)).toEqual([]);
  });
});

describe.each([...KINDS, 'postgres'] as const)('N7: an ended claim on %s', (kind) => {
  let server: TestPostgres | undefined;
  const opened: SessionStore[] = [];
  beforeAll(async () => {
    if (kind === 'postgres') server = await startPostgres();
  }, 120_000);
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server?.stop();
  }, 120_000);

  async function placed(): Promise<Place> {
    if (kind !== 'postgres') return await place(kind);
    const url = await server!.create();
    const again = async (): Promise<SessionStore> => {
      const store = await openStore(url);
      opened.push(store);
      return store;
    };
    return { store: await again(), again };
  }

  it('N7: is kept over a restart, with who, when and note, and as an event of its own kind', async () => {
    const { store, again } = await placed();
    const session = await carrying(store);
    const ref = refOf(session, BOUND);
    const end = await session.operator.endClaim(ref, { by: 'ada', notes: 'the branch is gone' });

    const next = await openOn(await again());
    await next.load();
    expect(next.operator.claims.find((claim) => claim.ref === ref)).toMatchObject({ ended: end });
    const event = (await next.operator.audit()).find(({ kind: one }) => one === 'compaction.claim-ended');
    expect(event).toMatchObject({
      ref,
      body: { by: 'ada', notes: 'the branch is gone', claim: 'constraint', text: BOUND },
    });
    await goOn(next);
    expect(carriedBy(next)).not.toContain(`- “${BOUND}`);
    // Opened again in the middle of it all, without reading the whole log first.
    const third = await openOn(await again());
    await third.operator.restoreClaim(ref);
    expect(third.operator.claims.find((claim) => claim.ref === ref)!.ended).toBeUndefined();
  });

  it('N7: what one process ended another brings back, though it has not heard of it', async () => {
    const { store, again } = await placed();
    const [one, other] = [await carrying(store), await openOn(await again())];
    await other.load();
    const ref = refOf(one, BOUND);
    await one.operator.endClaim(ref, { by: 'ada' });
    await other.operator.restoreClaim(ref, { by: 'bob' });
    const third = await openOn(await again());
    await third.load();
    expect(third.operator.claims.find((claim) => claim.ref === ref)).toMatchObject({ status: 'live' });
    const restored = (await third.operator.audit()).filter(({ kind: what }) =>
      what.endsWith('claim-restored'),
    );
    expect(restored).toMatchObject([{ ref, body: { by: 'bob' } }]);
  });

  it('N7: two operators at once: each act counts once', async () => {
    const { store, again } = await placed();
    const [one, other] = [await carrying(store), await openOn(await again())];
    const [first, second] = [refOf(one, BOUND), refOf(one, OTHER)];
    await Promise.all([
      one.operator.endClaim(first, { by: 'ada' }),
      other.operator.endClaim(first, { by: 'bob' }),
      other.operator.endClaim(second, { by: 'bob' }),
    ]);
    const third = await openOn(await again());
    await third.load();
    expect(third.operator.claims.filter(({ ended }) => ended).map(({ ref }) => ref)).toEqual(
      expect.arrayContaining([first, second]),
    );
    const events = (await third.operator.audit()).filter(
      ({ kind: what }) => what === 'compaction.claim-ended',
    );
    expect(events.map(({ ref }) => ref).sort()).toEqual([first, second].sort());
  });
});

describe('N7: by the command line', () => {
  const folder = temporaryFolder();

  it('N7: claims lists them; --end and --restore take a claim off and bring it back', async () => {
    const store = `sqlite:${folder.path}/claims.db`;
    const opened = await openStore(store);
    const session = await carrying(opened);
    const ref = refOf(session, BOUND);
    await opened.close();
    const run = async (...more: string[]) => spillway(['claims', 'mill', '--store', store, ...more]);

    const listed = await run();
    expect([listed.err, listed.code]).toEqual(['', 0]);
    expect(listed.out).toMatch(new RegExp(`^${ref}  live  .*${BOUND}`, 'm'));
    expect(listed.out).toMatch(/^\w+  created  .*src\/mill\/door\.ts/m);
    const ended = await run('--end', ref, '--by', 'ada', '--notes', 'the branch is gone');
    expect(ended.out).toContain('ended by ada');
    expect(ended.out).toContain('the branch is gone');
    expect((await run()).out).toMatch(new RegExp(`^${ref}  ended  .*ended by ada.*the branch is gone`, 'm'));
    const later = await openOn(await openStore(store));
    await later.prepare();
    await later.observe({ inputTokens: 3_000 });
    const explained = await spillway(['explain', 'mill', '--store', store, '--find', 'release branch']);
    expect(explained.out).toMatch(
      /superseded {2}m10 .*\n {2}\w+ {2}ended by ada, .*: the branch is gone {2}Never push/,
    );
    await run('--restore', ref);
    const { claims } = JSON.parse((await run('--json')).out) as { claims: { ref: string; ended?: object }[] };
    expect(claims.find((claim) => claim.ref === ref)!.ended).toBeUndefined();
    expect(await run('--end', 'nobody')).toMatchObject({
      code: 1,
      err: expect.stringContaining('CLAIM_UNKNOWN'),
    });
    expect(await run('--end', ref, '--restore', ref)).toMatchObject({
      code: 1,
      err: expect.stringContaining('CONFIG_INVALID'),
    });
  });
});
