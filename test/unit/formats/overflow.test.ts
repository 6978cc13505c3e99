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
  [
    "This model's maximum context length is 128000 tokens. However, you requested 135000 tokens (100000 in the messages, 31000 in the functions, and 4000 in the completion).",
    { contextWindow: 128_000, requested: 135_000, input: 131_000, output: 4_000 },
  ],
  [
    "This model's maximum context length is 4097 tokens, however you requested 4162 tokens (1090 in your prompt; 3072 for the completion).",
    { contextWindow: 4_097, requested: 4_162, input: 1_090, output: 3_072 },
  ],
  [
    "This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output).",
    { contextWindow: 204_800, requested: 205_432, input: 85_432, output: 120_000 },
  ],
  [
    "This model's maximum context length is 131072 tokens. However, you requested 32000 output tokens and your prompt contains at least 99073 input tokens, for a total of at least 131073 tokens.",
    { contextWindow: 131_072, output: 32_000 },
  ],
  [
    "This model's maximum context length is 32768 tokens. However, you requested 2000 output tokens and your prompt contains 40000 input tokens, for a total of 42000 tokens.",
    { contextWindow: 32_768, output: 2_000, input: 40_000 },
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 32768 tokens and your request has 20000 input tokens (16384 > 32768 - 20000).",
    { contextWindow: 32_768, input: 20_000 },
  ],
  [
    "You passed 202753 input tokens and requested 1 output tokens. However, the model's context length is only 202752 tokens, resulting in a maximum input length of 202751 tokens.",
    { input: 202_753, output: 1, contextWindow: 202_752 },
  ],
  ['max_tokens must be at least 1, got -1250.', {}],
  [
    "The input (61709 tokens) is longer than the model\\'s context length (40960 tokens).",
    { input: 61_709, contextWindow: 40_960 },
  ],
  [
    "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 31216 tokens from the input messages and 225662 tokens for the completion.",
    { contextWindow: 256_000, requested: 256_878, input: 31_216, output: 225_662 },
  ],
  [
    'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
    { input: 160_062, inputLimit: 59_862 },
  ],
  [
    'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
    { input: 131_393, inputLimit: 131_040 },
  ],
  [
    "Input length (265330) exceeds model's maximum context length (262144).",
    { input: 265_330, contextWindow: 262_144 },
  ],
  [
    {
      status: 400,
      error: {
        code: '1210',
        message: "Request 182387 input tokens exceeds the model's maximum context length 180000",
      },
    },
    { input: 182_387, contextWindow: 180_000 },
  ],
  [{ status: 400, error: { code: '1261', message: 'Prompt exceeds max length' } }, {}],
  [
    'Unable to submit request because the input token count is 1251952 but model only supports up to 1048576.',
    { requested: 1_251_952, inputLimit: 1_048_576 },
  ],
  [
    'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
    { requested: 42_328, contextWindow: 40_000 },
  ],
  [
    'The prompt is too long: 140000, model maximum context length: 131071',
    { requested: 140_000, contextWindow: 131_071 },
  ],
  [
    {
      status: 413,
      error: {
        code: 'tokens_limit_reached',
        message: 'Request body too large for gpt-4o model. Max size: 8000 tokens.',
      },
    },
    { inputLimit: 8_000 },
  ],
  [
    { code: 20_015, message: 'length of prompt_tokens (68957) must be less than max_seq_len (65536).' },
    { input: 68_957, contextWindow: 65_536 },
  ],
  [
    'max_total_tokens (33802) must be less than or equal to max_seq_len (32768)',
    { requested: 33_802, contextWindow: 32_768 },
  ],
  [
    'AiError: The estimated number of input and maximum output tokens (30000) exceeded this model context window limit (24000).',
    { requested: 30_000, contextWindow: 24_000 },
  ],
  ['Requested tokens (5160) exceed context window of 5120', { requested: 5_160, contextWindow: 5_120 }],
  [
    'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
    { inputLimit: 4_096, requested: 5_000 },
  ],
  [
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)',
    { contextWindow: 262_144, requested: 270_000 },
  ],
  ['the input length exceeds the context length', {}],
  ['Number of input tokens exceeds maximum length. Please update the input to try again.', {}],
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
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-x',
  '`max_tokens` must be less than or equal to `8192`, the maximum value is less than the `context_window` for this model',
  'The maximum tokens you requested exceeds the model limit of 4096.',
  'max_tokens must be at least 1, got 0.',
  'Range of max_tokens should be [1, 8192]',
  'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
  "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
  { status: 402, error: { message: 'Prompt tokens limit exceeded: 12000 > 4332. To increase, upgrade.' } },
  'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 4332.',
  { status: 401, message: 'invalid x-api-key' },
  { status: 500, message: 'Internal server error' },
  // The request that was sent may hold any words.
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

  it("is not doubted if its code is a provider's own number and no HTTP status", () => {
    const message = 'Prompt contains 65673 tokens, too large for model with 32768 maximum context length';
    expect(readOverflowOf({ status: 400, code: '3051', message })).not.toHaveProperty('doubt');
    expect(readOverflowOf({ status: 400, code: '500', message })).toHaveProperty('doubt');
  });

  it('is doubted if its code is as long as a text', () => {
    const coded = (code: string) =>
      readOverflowOf({ status: 400, code, message: 'Input is too long for requested model.' });
    expect(coded('context_too_long')).not.toHaveProperty('doubt');
    expect(coded(`context ${'words '.repeat(50)}`)).toMatchObject({ doubt: expect.any(String) });
  });

  it('is not read from an error that is its own cause', () => {
    const error: { cause?: unknown; message: string } = { message: 'x' };
    error.cause = error;
    expect(readOverflow(error)).toBeUndefined();
  });
});
