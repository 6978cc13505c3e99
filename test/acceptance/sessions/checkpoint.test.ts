import { z } from 'zod';
import { defineStage, type Message, type Session, type SessionStore } from '../../../src/index.js';
import type { Json } from '../../../src/spi/index.js';
import { engine, prose, read, says, step, system, user } from '../support.js';
import { but, KINDS, place } from './stores.js';

const BUDGET = 6_000;

const history = (turns: number): readonly Message[] =>
  read([
    system('Be brief.'),
    user('Build a mill.'),
    says('Gladly.'),
    ...Array.from({ length: turns }, (_, i) => [
      user(`Question ${i}: ${prose(60, 3 * i)}`),
      ...step('look', { i }, `src/mill/wheel-${i}.ts ${prose(500, 3 * i + 1)}`),
      says(`Answer ${i}: ${prose(60, 3 * i + 2)}`),
    ]).flat(),
  ]);

const openOn = async (store: SessionStore): Promise<Session> =>
  (await engine(BUDGET, {}, { store })).open({ id: 's' });

async function play(session: Session, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    if (message.role === 'assistant') await session.prepare();
    await session.append(message);
  }
}

/** The view, with sources and marks. */
const look = ({ view }: Session): unknown =>
  JSON.parse(JSON.stringify(view.map((shown) => ({ ...shown, replaced: [...(shown.replaced ?? [])] }))));

describe.each(KINDS)('a checkpoint on %s', (kind) => {
  it('does not repeat the text of edits and messages', async () => {
    const { store } = await place(kind);
    const left: string[] = [];
    const session = await openOn(
      but(store, {
        write: (key, head, write) => {
          if (write.checkpoint !== undefined) left.push(JSON.stringify(write.checkpoint));
          return store.write(key, head, write);
        },
      }),
    );
    await play(session, history(22));
    const texts = session.view.flatMap(({ message, source }) =>
      message === source ? [] : message.parts.map((part) => JSON.stringify(part)),
    );
    expect(texts.length).toBeGreaterThanOrEqual(3);
    expect(texts.filter((text) => left.at(-1)!.includes(text))).toEqual([]);
    expect(left.at(-1)!.length).toBeLessThan(1_000);
  });

  it('gives the same view again, also after an undo', async () => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await play(session, history(26));
    expect(look(await openOn(await again()))).toEqual(look(session));
    await session.operator.undo();
    expect(look(await openOn(await again()))).toEqual(look(session));
    await session.operator.release();
    await play(session, history(34).slice(session.log.length));
    expect(look(await openOn(await again()))).toEqual(look(session));
    const reopened = await openOn(await again());
    await play(reopened, history(44).slice(reopened.log.length));
    expect(look(await openOn(await again()))).toEqual(look(reopened));
  });

  it('holds the state of a stage as JSON, and the stage gets the same before a restart', async () => {
    const { store, again } = await place(kind);
    const given: unknown[] = [];
    const keeps = defineStage({
      name: 'keeps',
      summary: 'Keeps a state, and one that cannot be kept.',
      options: z.looseObject({}),
      plan: ({ exchanges }, { state }) => {
        given.push(state);
        const { fromId, toId } = exchanges.find(({ protection, unseen }) => !protection && !unseen)!;
        const kept = { at: new Date(0), by: new Map([[1, 2]]), act: () => 1, none: undefined };
        return {
          edits: [{ kind: 'supersede', fromId, toId, replacement: [], reason: 'old' }],
          state: state === undefined ? kept : { seen: 1n },
        };
      },
    });
    const roster = [{ stage: 'keeps', opensAt: 0.7 }, 'auto', 'full'] as const;
    const open = async (at: SessionStore): Promise<Session> =>
      (await engine(BUDGET, { roster: [...roster] }, { store: at, stages: [keeps] })).open({ id: 's' });
    const session = await open(store);
    await play(session, history(30));
    const stored = (await store.load({ sessionId: 's', agentPath: 'primary' }))!.head;
    expect([stored.messages, stored.entries]).toEqual([session.log.length, session.operator.history.length]);
    const failed = session.operator.history
      .flatMap(({ plan }) => plan.stages)
      .find(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({
      stage: 'keeps',
      faults: [{ code: 'STAGE_FAILED', message: 'plan() returned a state that is no JSON: a bigint' }],
    });
    const reopened = await open(await again());
    await reopened.operator.plan({ target: 0.1 });
    const json = { at: '1970-01-01T00:00:00.000Z', by: {} };
    const kept = given.filter((state) => state !== undefined);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept).toEqual(kept.map(() => json));
    expect(given.at(-1)).toEqual(json);
  });

  it('of another version is not used', async () => {
    const { store, again } = await place(kind);
    const session = await openOn(store);
    await play(session, history(22));
    const key = { sessionId: 's', agentPath: 'primary' };
    const { head, checkpoint } = (await store.load(key))!;
    const other = { ...(checkpoint as object), version: 1, states: { snip: 'torn' }, spent: 'torn' } as Json;
    await store.write(key, head, { checkpoint: other });
    const reopened = await openOn(await again());
    expect(look(reopened)).toEqual(look(session));
    await reopened.prepare();
    expect(look(reopened)).toEqual(look(session));
  });
});
