/** Works one session until it is killed, and prints every write that the store acknowledged. */
import { createSpillway } from '../src/index.js';
import { messageFor, randomOf } from './crash-work.js';

const [, , url = '', sessionId = '', seed = '0'] = process.argv;
const random = randomOf(Number(seed));
const spillway = await createSpillway({
  store: url,
  inputBudget: 3_000,
  settings: { counter: 'heuristic', safetyMargin: 0 },
});
const session = await spillway.open({ id: sessionId });
const tell = (what: string, id: string): void => void process.stdout.write(`${JSON.stringify([what, id])}\n`);
tell('open', String(session.log.length));
if (session.operator.pending) tell('commit', (await session.operator.approve()).id);

for (;;) {
  const dice = random();
  if (dice < 0.55) {
    const message = messageFor(session.log.length);
    await session.append(message);
    tell('append', message.id);
  } else if (dice < 0.75) {
    // Two appends at once may share one write; both answers count.
    const [one, other] = [messageFor(session.log.length), messageFor(session.log.length + 1)];
    await Promise.all([session.append(one), session.append(other)]);
    tell('append', one.id);
    tell('append', other.id);
  } else if (dice < 0.9) {
    const { run, reading } = await session.prepare();
    if (run.record) tell('commit', run.record.id);
    await session.observe({ inputTokens: reading.tokens, outputTokens: 10 });
    tell('call', String(session.operator.calls.at(-1)!.call));
  } else if (dice < 0.95) {
    for (const { id } of await session.operator.undo()) tell('undo', id);
    await session.operator.release();
  } else {
    const { kind, plan } = await session.operator.plan();
    if (kind !== 'planned' || !plan) continue;
    await session.operator.propose(plan);
    tell('propose', plan.hash);
    const record = await session.operator.approve(plan.hash);
    tell('commit', record.id);
  }
}
