import { asText } from './loose.js';
import type { Faults } from './faults.js';
import type { Loose } from './loose.js';

/** How a format makes and answers calls, with the rules for both. */
interface AnswerShape<Rule extends string, Id> {
  calls(message: Loose, at: number): readonly Id[];
  /** Undefined for a message without answers: the calls before it can no longer wait. */
  answers(message: Loose, at: number): readonly Id[] | undefined;
  /** Each call is answered once, directly after its message. */
  readonly onceRule: Rule;
  /** Calls of one message differ, and no answer is without its call. */
  readonly ownRule: Rule;
  /** Whether a call may stay unanswered. */
  readonly mayWait?: boolean;
}

/** Checks that answers directly follow the message that asks for them. */
export function checkAnswers<Rule extends string, Id>(
  messages: readonly Loose[],
  { calls, answers, onceRule, ownRule, mayWait = false }: AnswerShape<Rule, Id>,
  openEnd: boolean,
  faults: Faults<Rule>,
): void {
  let [from, openCalls] = [0, new Map<Id, boolean>()];
  const reportUnanswered = (): void => {
    for (const [id, answered] of mayWait ? [] : openCalls)
      if (!answered) faults.add(onceRule, from, `call ${asText(id)} is not directly followed by its result`);
  };
  messages.forEach((message, at) => {
    const answeredIds = answers(message, at);
    for (const id of answeredIds ?? []) {
      const done = openCalls.get(id);
      if (done === undefined) faults.add(ownRule, at, `${asText(id)} answers no call of the step before it`);
      else if (done) faults.add(onceRule, at, `a second result for ${asText(id)}`);
      else openCalls.set(id, true);
    }
    if (answeredIds) return;
    reportUnanswered();
    [from, openCalls] = [at, new Map()];
    for (const id of calls(message, at)) {
      if (openCalls.has(id)) faults.add(ownRule, at, `two calls are called ${asText(id)}`);
      openCalls.set(id, false);
    }
  });
  if (!openEnd) reportUnanswered();
}
