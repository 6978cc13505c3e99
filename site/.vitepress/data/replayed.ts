// A session replayed, as the pictures draw it: when the site is built, and in the browser of who plays one of their own.
import { replaySession, type Session, type Spillway } from 'spillway';
import type { Message } from 'spillway/transcript';
import type { Call, Gates } from './shapes.js';

/** The stages that open at a pressure of their own, in their order. */
export const gatesOf = (spillway: Spillway): Gates =>
  spillway.stages.flatMap(({ name, opensAt }) => (opensAt === undefined ? [] : [{ name, opensAt }]));

/** Each call of the model, once it was prepared. */
export async function* callsOf(session: Session, messages: readonly Message[]): AsyncGenerator<Call> {
  let [counted, written] = [0, 0];
  for await (const { tokens, error } of replaySession(session, messages)) {
    const { log, operator, view } = session;
    for (; counted < log.length; counted++) written += log.at(counted).size.tokens;
    const record = operator.history.at(-1);
    const isNew = record !== undefined && record.plan.inputs.logLength === log.length;
    yield {
      messages: log.length,
      shown: view.length,
      written,
      before: isNew ? record.plan.inputs.tokens : tokens,
      after: tokens,
      // In what order the gates opened, and to how much each brought the request.
      steps: isNew
        ? record.plan.stages.map(({ stage, before, after, edits }) => ({
            stage,
            before: before.tokens,
            after: after.tokens,
            edits,
          }))
        : [],
      ...(error && { fault: error.message }),
    };
  }
}
