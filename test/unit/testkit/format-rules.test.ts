import { FORMAT_RULES, judge, SUMMARIZER_RULES, validators } from '../../../src/testkit/index.js';
import type { SummaryAnswer, Summarizer } from '../../../src/spi/index.js';
import { SAMPLES } from '../../support/samples.js';
import { WRONG_FORMATS } from './wrong-formats.js';

const validate = validators.get('openai-chat')!;

describe('the rules of wire formats', () => {
  it.each(WRONG_FORMATS)('N1: %s catches a format that %s', async (id, _, format) => {
    const verdicts = await judge(
      { format, validate: validators.get(format.name) ?? validate, samples: SAMPLES[format.name] ?? [] },
      FORMAT_RULES.filter((rule) => rule.id === id),
    );
    expect(verdicts).toMatchObject([{ id, holds: false }]);
  });

  it('N1: each has a format that it catches', () => {
    expect([...new Set(WRONG_FORMATS.map(([id]) => id))]).toEqual(FORMAT_RULES.map(({ id }) => id));
  });
});

const answer: SummaryAnswer = { text: 'A mill was built.', finishReason: 'stop' };
const good: Summarizer = {
  name: 'good',
  endpoint: 'here',
  summarize: async (_, signal) => {
    signal.throwIfAborted();
    return Promise.resolve(answer);
  },
};

const WRONG: readonly (readonly [rule: string, what: string, summarizer: Summarizer])[] = [
  ['SUMMARIZER-01', 'has no endpoint', { ...good, endpoint: '' }],
  [
    'SUMMARIZER-02',
    'answers with a bare text',
    { ...good, summarize: () => Promise.resolve('A mill.' as never) },
  ],
  ['SUMMARIZER-02', 'rejects with a text', { ...good, summarize: () => Promise.reject('no') }],
  [
    'SUMMARIZER-02',
    'takes the source out of its request',
    {
      ...good,
      summarize: ({ source }) => {
        (source as string[]).pop();
        return Promise.resolve(answer);
      },
    },
  ],
  ['SUMMARIZER-03', 'does not look at its signal', { ...good, summarize: () => Promise.resolve(answer) }],
  [
    'SUMMARIZER-04',
    'rejects with nothing where there is no source',
    {
      ...good,
      summarize: ({ source }) => (source.length === 0 ? Promise.reject(undefined) : Promise.resolve(answer)),
    },
  ],
];

describe('the rules of summarizers', () => {
  it('N1: a good one keeps them all', async () => {
    expect((await judge(good, SUMMARIZER_RULES)).filter(({ holds }) => !holds)).toEqual([]);
  });

  it.each(WRONG)('N1: %s catches one that %s', async (id, _, summarizer) => {
    const verdicts = await judge(
      summarizer,
      SUMMARIZER_RULES.filter((rule) => rule.id === id),
    );
    expect(verdicts).toMatchObject([{ id, holds: false }]);
  });
});
