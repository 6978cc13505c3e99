import type { LanguageModel } from 'ai';
import { checkVersion, SpillwayError } from '../errors/index.js';
import { SummarizerError, type Summarizer, type SummaryRequest } from '../spi/index.js';
import type { ModelLimits } from '../tokens/index.js';

interface ModelSettings {
  readonly provider: 'openai-compatible' | 'openai' | 'anthropic';
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly window?: number;
  /** Most tokens it writes in one answer. */
  readonly outputLimit?: number;
}

/**
 * A summarizer over the AI SDK. It is never given a tool, and never retries by itself: the breaker has to see each call.
 * The SDK is an optional peer, loaded here and only where a model is asked for.
 * @throws SpillwayError CONFIG_INVALID where it is not installed, or an address is missing
 */
export async function createModelSummarizer(settings: ModelSettings): Promise<Summarizer> {
  const { provider, model, baseUrl, window, outputLimit } = settings;
  checkVersion('ai', 'summarizer');
  checkVersion(`@ai-sdk/${provider}`, 'summarizer');
  const { generateText, APICallError, LoadAPIKeyError } = await import('ai').catch(notInstalled(settings));
  const language = await openModel(settings);

  const faultOf = (error: unknown): SummarizerError => {
    if (LoadAPIKeyError.isInstance(error))
      return new SummarizerError('caller', 'no API key', { cause: error });
    if (!APICallError.isInstance(error))
      return new SummarizerError('endpoint', 'no usable answer', { cause: error });
    const { statusCode: status } = error;
    const what = status === undefined ? 'the endpoint could not be reached' : `HTTP ${status}`;
    const said = `${error.message} ${error.responseBody ?? ''}`;
    if (status === 413 || (status === 400 && TOO_LONG.test(said)))
      return new SummarizerError('too-long', `${what}: longer than the model reads`, { cause: error });
    const isCaller = status !== undefined && CALLER_STATUS.has(status);
    return new SummarizerError(isCaller ? 'caller' : 'endpoint', what, { cause: error });
  };

  return {
    name: model,
    endpoint: `${provider} ${baseUrl ?? 'default'} ${model}`,
    ...(window !== undefined && { window }),
    ...(outputLimit !== undefined && { outputLimit }),
    async summarize(request, signal) {
      try {
        const result = await generateText({
          model: language,
          system: request.prompt,
          prompt: wordsOf(request),
          // Providers count differently, and thinking counts too; the gate cuts what is too long. Asked for more than
          // their model writes, some refuse.
          maxOutputTokens: Math.min(2 * request.maxTokens + ANSWER_SLACK, outputLimit ?? Infinity),
          maxRetries: 0,
          abortSignal: signal,
        });
        const { inputTokens = 0, inputTokenDetails: input, outputTokens = 0 } = result.usage;
        const { cacheReadTokens = 0, cacheWriteTokens = 0 } = input;
        return {
          text: result.text,
          finishReason: result.finishReason,
          model: result.response.modelId,
          toolCalls: result.toolCalls.length,
          ...(result.reasoningText !== undefined && { reasoning: result.reasoningText }),
          usage: {
            inputTokens: input.noCacheTokens ?? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
            cacheReadTokens,
            cacheWriteTokens,
            outputTokens,
          },
        };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw faultOf(error);
      }
    },
  };
}

/** A summarizer as settings name it. */
export interface SummarizerFields {
  readonly provider: ModelSettings['provider'];
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly window: number | null;
}

interface NamedModel {
  readonly fields: SummarizerFields;
  /** Where the settings say it, for who has to mend them. */
  readonly subject: string;
  readonly sessionModel: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitsOf: (model: string) => Pick<ModelLimits, 'contextWindow' | 'outputLimit'>;
}

/** What opening it needs. Throws `CONFIG_INVALID` where something is missing. */
export function modelOf({ fields, subject, sessionModel, env, limitsOf }: NamedModel): ModelSettings {
  const { provider, baseUrl, apiKeyEnv, window } = fields;
  const model = fields.model ?? sessionModel;
  if (model === null) throw missing(`${subject}.model`, 'Name it, or the model that the session talks to.');
  if (baseUrl === null && provider === 'openai-compatible')
    throw missing(`${subject}.baseUrl`, 'Give the address of the endpoint, up to /v1.');
  const apiKey = apiKeyEnv === null ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== null && !apiKey)
    throw missing(
      `environment variable ${apiKeyEnv}`,
      'Put the key there, and hand the variables in: createSpillway({ env: process.env }) reads them, the library never does so by itself.',
    );
  const { contextWindow, outputLimit } = limitsOf(model);
  const known = window ?? contextWindow;
  return {
    provider,
    model,
    ...(baseUrl !== null && { baseUrl }),
    ...(apiKey && { apiKey }),
    ...(Number.isFinite(known) && { window: known }),
    // 0 stands for no limit.
    ...(outputLimit && { outputLimit }),
  };
}

function missing(subject: string, remedy: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', { subject, found: 'nothing', remedy });
}

const ANSWER_SLACK = 256;

/** A wrong request, key, plan or model: the same call fails again. */
const CALLER_STATUS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 422]);

/** Overflow wordings: OpenAI and vLLM; Anthropic; Google; llama.cpp, Ollama and others. */
const TOO_LONG =
  /context.?length|maximum context|prompt is too long|too many (?:input )?tokens|exceeds? the (?:available |maximum |model'?s? )?(?:context|input|token)|input (?:token count|is too long)|context.?window/i;

/** What a request says beside its system text, each part under a line that says what it is. */
function wordsOf(request: SummaryRequest): string {
  const { instruction, source, previous, language, todos, inView, newest, extraLines } = request;
  const about = (tag: string, said: string | readonly string[] = [], line?: string): string[] => {
    const texts = [said].flat();
    const head = line === undefined ? '' : `${line}:\n`;
    return texts.length === 0 ? [] : [`${head}<${tag}>\n${texts.join('\n')}\n</${tag}>`];
  };
  return [
    ...about('in-view', inView, 'Stays in view beside the record, so it need not be repeated'),
    ...about('summary', previous),
    `<transcript>\n${source.join('\n')}\n</transcript>`,
    ...about('todos', todos, "The agent's plan at the end of it"),
    ...about(
      'newest',
      newest,
      'The newest messages, cut short. They stay in view behind the record, and are no part of it; what they show to be done, settled or taken back, the record does not call open',
    ),
    ...about('lines', extraLines, 'Known beside it, from the operator'),
    ...(language === undefined ? [] : [`Language of the record: ${language}.`]),
    instruction,
  ].join('\n\n');
}

async function openModel(settings: ModelSettings): Promise<LanguageModel> {
  const { provider, model, baseUrl, apiKey } = settings;
  const missing = notInstalled(settings);
  const options = {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  };
  if (provider === 'openai')
    return (await import('@ai-sdk/openai').catch(missing)).createOpenAI(options).chat(model);
  if (provider === 'anthropic')
    return (await import('@ai-sdk/anthropic').catch(missing)).createAnthropic(options)(model);
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible').catch(missing);
  return createOpenAICompatible({ ...options, name: 'compatible', baseURL: baseUrl ?? '' })(model);
}

/** As `import()` says it, and as `require()` does, which the bundled command line uses. */
const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

const notInstalled =
  ({ provider }: ModelSettings) =>
  (cause: unknown): never => {
    if (!MISSING.has((cause as { code?: unknown }).code)) throw cause;
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'summarizer',
      found: 'model',
      remedy: `A model needs the AI SDK: npm install ai@6 @ai-sdk/${provider}.`,
      cause,
    });
  };
