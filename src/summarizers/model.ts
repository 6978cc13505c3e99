import type { LanguageModel } from 'ai';
import { checkVersion, isMissing, SpillwayError } from '../errors/index.js';
import { SummarizerError, type Summarizer, type SummaryRequest } from '../spi/index.js';
import type { ModelLimits } from '../tokens/index.js';

/** A summarizer as the settings name it. */
export interface SummarizerFields {
  readonly provider: 'openai-compatible' | 'openai' | 'anthropic';
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly window: number | null;
}

interface NamedModel {
  readonly fields: SummarizerFields;
  /** The place in the settings, for error messages. */
  readonly subject: string;
  readonly sessionModel: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitsOf: (model: string) => Pick<ModelLimits, 'contextWindow' | 'outputLimit'>;
}

/**
 * A summarizer over the AI SDK. It gets no tools, and never retries on its own, because the breaker has to see each
 * call. The SDK is an optional peer, loaded here and only if a model is configured.
 * @throws SpillwayError CONFIG_INVALID if it is not installed, or something that opening it needs is missing
 */
export async function createModelSummarizer(named: NamedModel): Promise<Summarizer> {
  const { provider, baseUrl } = named.fields;
  const model = modelOf(named);
  const options = optionsOf(named);
  const { contextWindow, outputLimit } = named.limitsOf(model);
  const window = named.fields.window ?? contextWindow;
  checkVersion('ai', 'summarizer');
  checkVersion(`@ai-sdk/${provider}`, 'summarizer');
  const { generateText, APICallError, LoadAPIKeyError } = await import('ai').catch(notInstalled(provider));
  const languageModel = await openModel(provider, model, options);

  const faultOf = (error: unknown): SummarizerError => {
    if (LoadAPIKeyError.isInstance(error))
      return new SummarizerError('caller', 'no API key', { cause: error });
    if (!APICallError.isInstance(error))
      return new SummarizerError('endpoint', 'no usable answer', { cause: error });
    const { statusCode: status } = error;
    const problem = status === undefined ? 'the endpoint could not be reached' : `HTTP ${status}`;
    const errorText = `${error.message} ${error.responseBody ?? ''}`;
    if (status === 413 || (status === 400 && TOO_LONG.test(errorText)))
      return new SummarizerError('too-long', `${problem}: longer than the model reads`, { cause: error });
    const isCaller = status !== undefined && CALLER_STATUS.has(status);
    return new SummarizerError(isCaller ? 'caller' : 'endpoint', problem, { cause: error });
  };

  return {
    name: model,
    endpoint: `${provider} ${baseUrl ?? 'default'} ${model}`,
    ...(Number.isFinite(window) && { window }),
    // 0 means no limit.
    ...(outputLimit && { outputLimit }),
    async summarize(request, signal) {
      try {
        const result = await generateText({
          model: languageModel,
          system: request.prompt,
          // A log may contain half a surrogate pair, which has no UTF-8: providers answer 400, as for a wrong key.
          prompt: userPrompt(request).toWellFormed(),
          // Providers count differently, and thinking counts too; the gate cuts a text that is too long. Some providers
          // refuse a limit above what their model can write.
          maxOutputTokens: Math.min(2 * request.maxTokens + ANSWER_SLACK, outputLimit || Infinity),
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

/** The name of the model. Throws `CONFIG_INVALID` if neither the settings nor the session names one. */
function modelOf({ fields, subject, sessionModel }: NamedModel): string {
  const model = fields.model || sessionModel;
  if (!model) throw missingSetting(`${subject}.model`, 'Name it, or the model that the session talks to.');
  return model;
}

/** The endpoint's address and key. Throws `CONFIG_INVALID` if one of them is needed and missing. */
function optionsOf({ fields, subject, env }: NamedModel): { baseURL?: string; apiKey?: string } {
  const { provider, baseUrl, apiKeyEnv } = fields;
  if (baseUrl === null && provider === 'openai-compatible')
    throw missingSetting(`${subject}.baseUrl`, 'Give the address of the endpoint, up to /v1.');
  const apiKey = apiKeyEnv && Object.hasOwn(env, apiKeyEnv) ? env[apiKeyEnv] : undefined;
  if (apiKeyEnv && !apiKey)
    throw missingSetting(
      `environment variable ${apiKeyEnv}`,
      'Put the key there, and pass the variables: createSpillway({ env: process.env }). The library never reads the environment on its own.',
    );
  return { ...(baseUrl !== null && { baseURL: baseUrl }), ...(apiKey && { apiKey }) };
}

function missingSetting(subject: string, remedy: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', { subject, found: 'nothing', remedy });
}

const ANSWER_SLACK = 256;

/** A wrong request, key, plan or model: the same call fails again. */
const CALLER_STATUS: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 422]);

/** Overflow wordings: OpenAI and vLLM; Anthropic; Google; llama.cpp, Ollama and others. */
const TOO_LONG =
  /context.?length|maximum context|prompt is too long|too many (?:input )?tokens|exceeds? the (?:available |maximum |model'?s? )?(?:context|input|token)|input (?:token count|is too long)|context.?window/i;

/** The user prompt of a request: each part under a line that describes it. */
function userPrompt(request: SummaryRequest): string {
  const { instruction, source, previous, language, todos, inView, newest, extraLines } = request;
  const section = (tag: string, content: string | readonly string[] = [], line?: string): string[] => {
    const texts = [content].flat();
    const head = line === undefined ? '' : `${line}:\n`;
    return texts.length === 0 ? [] : [`${head}<${tag}>\n${texts.join('\n')}\n</${tag}>`];
  };
  return [
    ...section('in-view', inView, 'Stays in view next to the record; do not repeat it'),
    ...section('summary', previous),
    `<transcript>\n${source.join('\n')}\n</transcript>`,
    ...section('todos', todos, "The agent's plan at the end of it"),
    ...section(
      'newest',
      newest,
      'The newest messages, shortened. They stay in view after the record and are not part of it; do not list as open what they show as done, settled or reverted',
    ),
    ...section('lines', extraLines, 'Also known, from the operator'),
    ...(language === undefined ? [] : [`Language of the record: ${language}.`]),
    instruction,
  ].join('\n\n');
}

async function openModel(
  provider: SummarizerFields['provider'],
  model: string,
  options: ReturnType<typeof optionsOf>,
): Promise<LanguageModel> {
  const missingSetting = notInstalled(provider);
  if (provider === 'openai')
    return (await import('@ai-sdk/openai').catch(missingSetting)).createOpenAI(options).chat(model);
  if (provider === 'anthropic')
    return (await import('@ai-sdk/anthropic').catch(missingSetting)).createAnthropic(options)(model);
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible').catch(missingSetting);
  return createOpenAICompatible({ ...options, name: 'compatible', baseURL: options.baseURL! })(model);
}

const notInstalled =
  (provider: SummarizerFields['provider']) =>
  (cause: unknown): never => {
    if (!isMissing(cause)) throw cause;
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'summarizer',
      found: 'model',
      remedy: `A model needs the AI SDK: npm install ai@6 @ai-sdk/${provider}.`,
      cause,
    });
  };
