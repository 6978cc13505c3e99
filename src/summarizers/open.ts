import { SpillwayError } from '../errors/index.js';
import { redactFor } from '../facts/index.js';
import type { Summarizer } from '../spi/index.js';
import type { PriceOf } from '../tokens/index.js';
import { Breakers } from './breaker.js';
import { Filler } from './fill.js';
import { createModelSummarizer, type ModelSettings } from './model.js';
import { loadPrompts, type Prompts } from './prompts.js';

/** The settings that concern summarizers, under the names they have there. */
export interface FillSettings {
  readonly model: string | null;
  readonly summarizerModel: {
    readonly provider: ModelSettings['provider'];
    readonly model: string | null;
    readonly baseUrl: string | null;
    readonly apiKeyEnv: string | null;
    readonly window: number | null;
  };
  readonly fill: {
    readonly deadlineMs: number;
    readonly concurrency: number;
    readonly toolResultChars: number;
    readonly prompts: string | null;
  };
  readonly breaker: { readonly scope: 'pipeline' | 'stage' };
  readonly thresholds: { readonly circuitBreakerFailures: number; readonly circuitBreakerCooldown: number };
  readonly redact: readonly string[];
}

export interface FillersRequest {
  readonly settings: FillSettings;
  /** The caller's own; else the model of the settings is opened. */
  readonly summarizer?: Summarizer;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the prompts that come with the package. */
  readonly promptFolder: string;
  readonly windowOf: (model: string) => number;
  readonly priceOf: PriceOf;
}

/** Opens the filler of one agent path: its own breakers, its own bought text. */
export type OpenFiller = (session: {
  readonly count: (text: string) => number;
  readonly timer: () => number;
  readonly stopped: () => string | undefined;
}) => Filler;

/** Throws `CONFIG_INVALID` where what is configured cannot be opened. */
export async function openFillers(request: FillersRequest): Promise<OpenFiller> {
  const { settings, promptFolder, priceOf } = request;
  const { fill, thresholds, breaker } = settings;
  const redact = redactFor(settings.redact);
  const prompts = await promptsFor(promptFolder, fill.prompts);
  const summarizer = request.summarizer ?? (await createModelSummarizer(modelOf(request)));
  return (session) =>
    new Filler({
      ...session,
      summarizer,
      prompts,
      redact,
      priceOf,
      deadlineMs: fill.deadlineMs,
      concurrency: fill.concurrency,
      resultChars: fill.toolResultChars,
      breakers: new Breakers({
        failures: thresholds.circuitBreakerFailures,
        cooldownMs: thresholds.circuitBreakerCooldown,
        scope: breaker.scope,
      }),
    });
}

function modelOf({ settings, env, windowOf }: FillersRequest): ModelSettings {
  const { provider, baseUrl, apiKeyEnv, window } = settings.summarizerModel;
  const model = settings.summarizerModel.model ?? settings.model;
  if (model === null)
    throw missing('summarizerModel.model', 'Name it, or the model that the session talks to.');
  if (baseUrl === null && provider === 'openai-compatible')
    throw missing('summarizerModel.baseUrl', 'Give the address of the endpoint, up to /v1.');
  const apiKey = apiKeyEnv === null ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== null && !apiKey) throw missing(`environment variable ${apiKeyEnv}`, 'Put the key there.');
  const known = window ?? windowOf(model);
  return {
    provider,
    model,
    ...(baseUrl !== null && { baseUrl }),
    ...(apiKey && { apiKey }),
    ...(Number.isFinite(known) && { window: known }),
  };
}

function missing(subject: string, remedy: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', { subject, found: 'nothing', remedy });
}

async function promptsFor(ours: string, theirs: string | null): Promise<Prompts> {
  try {
    return await loadPrompts(ours, theirs);
  } catch (cause) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'fill.prompts',
      found: theirs,
      allowed: 'a folder that can be read and written',
      remedy: 'Mend the path or its rights, or leave it empty.',
      cause,
    });
  }
}
