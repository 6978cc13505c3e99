import { inWords } from './loose.js';
import type { Faults } from './faults.js';
import type { Loose } from './loose.js';

/** How a format makes and answers calls, with the rules for both. */
interface Answering<Rule extends string, Id> {
  calls(message: Loose, at: number): readonly Id[];
  /** Undefined for a message without answers: the calls before it can no longer wait. */
  answers(message: Loose, at: number): readonly Id[] | undefined;
  /** Each call is answered once, directly after its message. */
  readonly once: Rule;
  /** Calls of one message differ, and no answer is without its call. */
  readonly own: Rule;
  /** Whether a call may stay unanswered. */
  readonly mayWait?: boolean;
}

/** Checks that answers directly follow the message that asks for them. */
export function checkAnswers<Rule extends string, Id>(
  messages: readonly Loose[],
  { calls, answers, once, own, mayWait = false }: Answering<Rule, Id>,
  openEnd: boolean,
  faults: Faults<Rule>,
): void {
  let [from, asked] = [0, new Map<Id, boolean>()];
  const settle = (): void => {
    for (const [id, answered] of mayWait ? [] : asked)
      if (!answered) faults.add(once, from, `call ${inWords(id)} is not directly followed by its result`);
  };
  messages.forEach((message, at) => {
    const given = answers(message, at);
    for (const id of given ?? []) {
      const answered = asked.get(id);
      if (answered === undefined) faults.add(own, at, `${inWords(id)} answers no call of the step before it`);
      else if (answered) faults.add(once, at, `a second result for ${inWords(id)}`);
      else asked.set(id, true);
    }
    if (given) return;
    settle();
    [from, asked] = [at, new Map()];
    for (const id of calls(message, at)) {
      if (asked.has(id)) faults.add(own, at, `two calls are called ${inWords(id)}`);
      asked.set(id, false);
    }
  });
  if (!openEnd) settle();
}
