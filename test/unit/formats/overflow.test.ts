import { readOverflow, readOverflowOf } from '../../../src/formats/index.js';

const OVERFLOWS: readonly (readonly [said: unknown, learned: object])[] = [
  ['prompt is too long: 210345 tokens > 200000 maximum', { requested: 210_345, contextWindow: 200_000 }],
  [
    'input length and `max_tokens` exceed context limit: 188000 + 21333 > 200000, decrease input length',
    { input: 188_000, output: 21_333, contextWindow: 200_000 },
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130050 tokens.",
    { contextWindow: 128_000, requested: 130_050 },
  ],
  [
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
    { contextWindow: 32_768, requested: 40_000 },
  ],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300123 tokens.',
    { inputLimit: 272_000, requested: 300_123 },
  ],
  ['Your input exceeds the context window of this model.', {}],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { requested: 1_200_000, inputLimit: 1_048_576 },
  ],
  [
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { inputLimit: 131_072, requested: 537_812 },
  ],
  ['prompt token count of 70000 exceeds the limit of 64000', { requested: 70_000, inputLimit: 64_000 }],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { requested: 40_000, contextWindow: 32_768 },
  ],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens',
    { contextWindow: 4_097, requested: 5_000 },
  ],
  [
    'The decoder prompt (length 40000) is longer than the maximum model length of 32768.',
    { requested: 40_000, contextWindow: 32_768 },
  ],
  [
    'the request exceeds the available context size (8192 tokens), try increasing it',
    { contextWindow: 8_192 },
  ],
  ['Your request exceeded model token limit: 262144', { contextWindow: 262_144 }],
  ['Range of input length should be [1, 129024]', { inputLimit: 129_024 }],
  ['too many tokens: total number of tokens in the prompt cannot exceed 4081', { inputLimit: 4_081 }],
  ['prompt too long; exceeded max context length by 12 tokens', {}],
  ['Input is too long for requested model.', {}],
  ['Please reduce the length of the messages or completion.', {}],
  ['invalid params, context window exceeds limit (2013)', {}],
  ['tokens to keep from the initial prompt is greater than the context length', {}],
  [{ status: 400, error: { code: 'context_length_exceeded', message: 'Too long.' } }, {}],
  [{ status: 413, error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }, {}],
  [{ status: 403, body: '{"message":"Input is too long for requested model."}' }, {}],
  [{ statusCode: 413 }, {}],
  [{ stop_reason: 'model_context_window_exceeded' }, {}],
  [
    Object.assign(new Error('call failed'), { cause: new Error('prompt is too long: 9 tokens > 8 maximum') }),
    { requested: 9, contextWindow: 8 },
  ],
];

const OTHERS: readonly unknown[] = [
  'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000.',
  { status: 429, message: 'prompt is too long for your tier' },
  'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000',
  'ThrottlingException: Too many tokens, please wait before trying again.',
  'RESOURCE_EXHAUSTED: Quota exceeded for input token count per day',
  { status: 400, error: { message: "Invalid 'max_tokens': integer below minimum value." } },
  { status: 401, message: 'invalid x-api-key' },
  { status: 500, message: 'Internal server error' },
  // What was sent may speak of anything.
  { status: 500, request: { body: 'prompt is too long: 9 tokens > 8 maximum' }, message: 'bad gateway' },
  undefined,
  null,
  7,
  new Error('fetch failed'),
];

describe('an overflow', () => {
  it.each(OVERFLOWS)('is read from %j', (said, learned) => {
    expect(readOverflow(said)).toEqual(learned);
    expect(readOverflow(typeof said === 'string' ? new Error(said) : said)).toEqual(learned);
  });

  it.each(OTHERS)('is not read from %j', (said) => {
    expect(readOverflow(said)).toBeUndefined();
  });

  it('is doubted under a code so long that it is a text', () => {
    const coded = (code: string) =>
      readOverflowOf({ status: 400, code, message: 'Input is too long for requested model.' });
    expect(coded('context_too_long')).not.toHaveProperty('doubt');
    expect(coded(`context ${'words '.repeat(50)}`)).toMatchObject({ doubt: expect.any(String) });
  });

  it('survives errors that refer to themselves', () => {
    const error: { cause?: unknown; message: string } = { message: 'x' };
    error.cause = error;
    expect(readOverflow(error)).toBeUndefined();
  });
});
