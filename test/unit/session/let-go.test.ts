import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSpillway, type Spillway } from '../../../src/index.js';
import { Service } from '../../../src/faces/server/service.js';
import { words } from '../../support/messages.js';

/** The log of a session whose summarizer was asked, with no reference to the session left. */
async function logOfOne(spillway: Spillway): Promise<WeakRef<object>> {
  const session = spillway.session();
  const talk = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: words(100),
  }));
  await session.follow({ messages: [...talk, { role: 'user', content: 'Go on.' }] });
  await session.prepare();
  return new WeakRef(session.log);
}

/** Whether it is garbage-collected after some turns. */
async function isLetGo(held: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 20 && held.deref(); turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return held.deref() === undefined;
}

it('an engine that another one has replaced can be garbage-collected', async () => {
  const service = await Service.open({ store: 'memory:' });
  const before = new WeakRef<object>(service.spillway);
  await service.setKnobs(() => ({ target: 0.5 }), 'ops', ['target']);
  expect(service.settings.target).toBe(0.5);
  expect(await isLetGo(before)).toBe(true);
  await service.close();
});

it('the log of a session that is no longer used can be garbage-collected after a summary', async () => {
  let asked = 0;
  const summarize = async () => ({ text: `It was done, ${++asked}.`, finishReason: 'stop' });
  const spillway = await createSpillway({
    inputBudget: 4_000,
    settings: { summarizer: 'model' },
    summarizer: { name: 's', endpoint: 's', summarize },
  });
  const log = await logOfOne(spillway);
  expect(asked).toBeGreaterThan(0);
  expect(await isLetGo(log)).toBe(true);
});
