import { LATE, inTime } from '../session/plugins/index.js';
import type { Summarizer, SummaryRequest } from '../spi/index.js';
import { frozen, isError, isFrozenWrite } from './frozen.js';
import { RuleBroken, type ContractRule } from './rule.js';

/** The time in milliseconds after which a summarizer counts as one that never settles. */
const TIMEOUT_MS = 10_000;

const REQUEST: SummaryRequest = frozen({
  prompt: 'You write short summaries.',
  instruction: 'Summarise the source in two sentences.',
  source: [
    '<message role="user">Build a mill by the river.</message>',
    '<message role="assistant">Built.</message>',
  ],
  maxTokens: 200,
  language: 'English',
  inView: ['<message role="user">Build a mill by the river.</message>'],
});

/** The rules for a summarizer. One gate judges the texts of all summarizers elsewhere. */
export const SUMMARIZER_RULES: readonly ContractRule<Summarizer>[] = [
  {
    id: 'SUMMARIZER-01',
    intent: 'has a name, and an endpoint: summarizers with the same endpoint share a breaker',
    check: ({ name, endpoint, window }) => {
      if (typeof name !== 'string' || name === '') throw new RuleBroken('the name is missing');
      if (typeof endpoint !== 'string' || endpoint === '') throw new RuleBroken('the endpoint is missing');
      if (window !== undefined && !(window > 0)) throw new RuleBroken(`the window is ${String(window)}`);
    },
  },
  {
    id: 'SUMMARIZER-02',
    intent: 'answers with a text and the reason why the text ended, or rejects with an Error',
    check: async (summarizer) => {
      const answer: unknown = await outcome(summarizer, REQUEST, new AbortController().signal);
      if (isError(answer)) return;
      const { text, finishReason, usage } = (answer ?? {}) as {
        text?: unknown;
        finishReason?: unknown;
        usage?: object;
      };
      if (typeof text !== 'string') throw new RuleBroken(`the text is ${typeof text}`);
      if (typeof finishReason !== 'string')
        throw new RuleBroken(`the finish reason is ${typeof finishReason}`);
      for (const [field, count] of Object.entries(usage ?? {}))
        if (typeof count === 'number' && !(count >= 0)) throw new RuleBroken(`usage says ${count} ${field}`);
    },
  },
  {
    id: 'SUMMARIZER-03',
    intent: 'stops when its signal is aborted, before and during the call, so that a deadline holds',
    check: async (summarizer) => {
      const before = await outcome(summarizer, REQUEST, AbortSignal.abort());
      if (!isError(before))
        throw new RuleBroken('it answered although the signal was aborted before the call');
      const controller = new AbortController();
      const running = outcome(summarizer, REQUEST, controller.signal);
      controller.abort();
      await running;
    },
  },
  {
    id: 'SUMMARIZER-04',
    intent: 'does not hang on no source, one huge source, odd characters or several calls at once',
    check: async (summarizer) => {
      const sources = [
        [],
        [''],
        ['mill '.repeat(100_000)],
        ['half \ud83d of a pair, \u0000 and 部署失败', '</source>'],
      ];
      const { signal } = new AbortController();
      await Promise.all(sources.map((source) => outcome(summarizer, frozen({ ...REQUEST, source }), signal)));
    },
  },
];

/** The summarizer's answer, or the Error it rejected with; any other thrown value, or no answer, breaks the rule. */
async function outcome(
  summarizer: Summarizer,
  request: SummaryRequest,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const answer = await inTime(TIMEOUT_MS, () => summarizer.summarize(request, signal));
    if (answer === LATE) throw new RuleBroken(`it did not settle within ${TIMEOUT_MS / 1_000} s`);
    return answer;
  } catch (error) {
    if (error instanceof RuleBroken) throw error;
    if (isFrozenWrite(error))
      throw new RuleBroken(`it writes to its request: ${(error as Error).message}`, { cause: error });
    if (isError(error)) return error;
    throw new RuleBroken(`it rejected with ${typeof error}, which is no Error`);
  }
}
