import { describe, expect, it } from '@jest/globals';
import { z } from 'zod/v4';
import { defineStage, type Message, type Session } from '../../../src/index.js';
import {
  callOf,
  engine,
  fill,
  prose,
  read,
  resultOf,
  says,
  sessionOf,
  user,
} from '../../acceptance/support.js';

const TALK = [user('Think aloud.'), says('I will.')];

function heard(session: Session): string[] {
  const kinds: string[] = [];
  session.events.subscribe(({ kind }) => kinds.push(kind));
  return kinds;
}

/** Words of the agent: no stage below the gate of auto has anything to do with them. */
const thought = (tokens: number, seed: number): Message => ({
  id: `t${seed}`,
  role: 'assistant',
  origin: 'model',
  parts: [{ type: 'text', text: prose(tokens, seed) }],
});

const output = (tokens: number, seed: number) =>
  read([
    callOf([['n', 'Bash', { command: 'ls' }]]),
    resultOf('n', prose(tokens, seed)),
    says('I see.'),
    says('Done.'),
  ]).map((message) => ({ ...message, id: `n${message.id}` }));

describe('a run that cannot be worth it', () => {
  it('is never started, however long a session goes on in which nothing is eligible', async () => {
    const session = await sessionOf(20_000, TALK);
    const kinds = heard(session);
    fill(session, 0.8);
    for (let i = 0; i < 12; i++) {
      await session.append(thought(180, i));
      await session.prepare();
    }
    expect(session.reading.pressure).toBeGreaterThan(0.9);
    expect(kinds).not.toContain('triggered');
    expect(kinds).not.toContain('firing');
  });

  it('says so once, and what would have to come', async () => {
    const session = await sessionOf(20_000, TALK);
    fill(session, 0.81);
    const { run } = await session.prepare();
    expect(run).toMatchObject({
      kind: 'noop',
      stages: [],
      reason: expect.stringContaining('not worth a run'),
    });
    expect((await session.prepare()).run).toMatchObject({ kind: 'waiting', reason: expect.any(String) });
  });

  it('starts as soon as enough could go', async () => {
    const session = await sessionOf(20_000, TALK, { stages: { snip: { protectTokens: 0 } } });
    fill(session, 0.6);
    await session.append(...output(4_400, 3));
    const { run } = await session.prepare();
    expect(run.kind).toBe('committed');
  });

  it('counts what pressure alone asks for; who asks by hand is answered with what there is', async () => {
    const session = await sessionOf(20_000, TALK);
    fill(session, 0.81);
    expect((await session.operator.compact()).stages.length).toBeGreaterThan(0);
  });
});

describe('a stage that says how much it could free', () => {
  const asked: string[] = [];
  const idle = (reclaimable?: () => number) =>
    defineStage({
      name: 'idle',
      summary: 'Frees nothing.',
      options: z.strictObject({}),
      plan: () => {
        asked.push('plan');
        return { edits: [] };
      },
      ...(reclaimable && { reclaimable }),
    });
  const plannedOf = async (reclaimable?: () => number) => {
    asked.length = 0;
    const spillway = await engine(
      20_000,
      { roster: [{ stage: 'idle', opensAt: 0.8 }] },
      { stages: [idle(reclaimable)] },
    );
    const session = spillway.session();
    session.append(...read(TALK));
    fill(session, 0.85);
    await session.prepare();
    return asked;
  };

  it.each<[string, (() => number) | undefined, number]>([
    ['is left alone where that is too little', () => 500, 0],
    ['is asked where that is enough', () => 4_000, 1],
    ['is asked where it does not say', undefined, 1],
    ['is asked where what it says is no number', () => NaN, 1],
    [
      'is asked where it throws',
      () => {
        throw new Error('I do not know');
      },
      1,
    ],
  ])('%s', async (_name, reclaimable, times) => {
    expect(await plannedOf(reclaimable)).toHaveLength(times);
  });
});
