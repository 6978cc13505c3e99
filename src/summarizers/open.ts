import { SpillwayError } from '../errors/index.js';
import { createRedact } from '../text/facts/index.js';
import type { Summarizer, SummaryLines } from '../spi/index.js';
import type { ModelLimits, PriceOf } from '../tokens/index.js';
import type { SummarizerChoice } from '../transcript/index.js';
import { TextBuyer, memoryOfTexts, type TextStore } from './artifacts.js';
import { Breakers, type BreakerOptions } from './breaker.js';
import { Filler, type FillerParts } from './fill.js';
import { createModelSummarizer, type SummarizerFields } from './model.js';
import {
  loadPrompts,
  PROMPT_FILES,
  readPrompt,
  withOwnPrompt,
  type Prompt,
  type PromptSources,
  type Prompts,
} from './prompts.js';

/** The settings for summarizers, under their names in the configuration. */
interface FillSettings {
  readonly model: string | null;
  readonly summarizer: string;
  readonly summarizerModel: SummarizerFields;
  readonly summarizerAgents: Readonly<Record<string, SummarizerFields & { readonly prompt: string | null }>>;
  readonly compaction: { readonly prompt: string | null; readonly agent: string | null };
  readonly fill: Pick<FillerParts, 'deadlineMs' | 'concurrency' | 'chunks' | 'oversized'> & {
    readonly generations: number;
    readonly toolResultChars: number;
    readonly prompts: string | null;
    readonly promptFiles: Readonly<Record<string, string>>;
  };
  readonly breaker: { readonly scope: 'pipeline' | 'stage' };
  readonly thresholds: { readonly circuitBreakerFailures: number; readonly circuitBreakerCooldown: number };
  readonly redact: readonly string[];
}

interface FillersRequest {
  readonly settings: FillSettings;
  /** The caller's own summarizer, which replaces the default of the settings. */
  readonly summarizer?: Summarizer;
  /** The summarizers of plugins. */
  readonly provided?: readonly Summarizer[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the prompts in the package. */
  readonly promptFolder: string;
  readonly limitsOf: (model: string) => Pick<ModelLimits, 'contextWindow' | 'outputLimit'>;
  readonly priceOf: PriceOf;
  /** Keeps texts for all processes on it. */
  readonly store?: TextStore;
}

interface OpenRequest {
  /** The default if absent. */
  readonly choice?: SummarizerChoice;
  /** The model of the session: it writes summaries if no other model is named. */
  readonly sessionModel?: string | null;
  readonly count: (text: string) => number;
  readonly timer: () => number;
  readonly stopReason: () => string | undefined;
  /** Facts that every request of a summarizer is given. */
  readonly lines?: SummaryLines | undefined;
  /** The breakers by thread; the filler has its own if absent. */
  readonly breakers?: Map<string, Breakers>;
  readonly thread?: string;
}

/** Opens the filler of one agent path, with its thread's breakers. Throws `CONFIG_INVALID` for an unknown choice. */
export type OpenFiller = (session: OpenRequest) => Filler;

const DEFAULT: SummarizerChoice = { from: 'default', name: '' };

/** Opens everything that is configured. Rejects with `CONFIG_INVALID` if this fails. */
export async function openFillers(request: FillersRequest): Promise<OpenFiller> {
  const { settings, promptFolder, priceOf, store } = request;
  const { fill, thresholds, breaker } = settings;
  const { toolResultChars, prompts: custom, promptFiles, ...asked } = fill;
  const sources: PromptSources = { packaged: promptFolder, custom, files: promptFiles };
  const prompts = promptsFor(sources);
  const summarizerOf = await openSummarizers(request);
  for (const [name, { prompt }] of Object.entries(settings.summarizerAgents))
    if (prompt) ownPrompt(prompt, sources, `summarizerAgents.${name}.prompt`);
  if (settings.compaction.prompt) ownPrompt(settings.compaction.prompt, sources);
  const promptsWith = (named: string): Prompts => withOwnPrompt(prompts, ownPrompt(named, sources));
  // All users of the store, or of this engine, request each text only once.
  const buyer = new TextBuyer(store ?? memoryOfTexts());
  const parts = {
    ...asked,
    resultChars: toolResultChars,
    redact: createRedact(settings.redact),
    priceOf,
    promptsWith,
  };
  const breakerOptions = {
    failures: thresholds.circuitBreakerFailures,
    cooldownMs: thresholds.circuitBreakerCooldown,
    scope: breaker.scope,
  };
  return ({ choice = DEFAULT, sessionModel = settings.model, breakers, thread = '', ...session }) => {
    const agent = choice.from === 'agent' ? settings.summarizerAgents[choice.name] : undefined;
    const named = choice.from === 'prompt' ? choice.name : agent?.prompt;
    return new Filler({
      ...session,
      ...parts,
      summarizer: summarizerOf(choice, sessionModel),
      prompts: named ? promptsWith(named) : prompts,
      buyer,
      breakers: breakersOf(thread, breakers, breakerOptions),
    });
  };
}

/** The most threads whose breakers are remembered; beyond this the least recently opened start anew. */
const MAX_THREADS = 10_000;

function breakersOf(
  thread: string,
  known: Map<string, Breakers> | undefined,
  options: BreakerOptions,
): Breakers {
  const breakers = known?.get(thread) ?? new Breakers(options);
  breakers.options = options;
  known?.delete(thread);
  known?.set(thread, breakers);
  const [oldest] = known?.keys() ?? [];
  if (known && known.size > MAX_THREADS) known.delete(oldest!);
  return breakers;
}

type SummarizerOf = (choice: SummarizerChoice, sessionModel: string | null) => Summarizer;

/** Opens all named summarizers, so that their errors are reported at start. */
async function openSummarizers(request: FillersRequest): Promise<SummarizerOf> {
  const { settings, summarizer: inCode, provided = [] } = request;
  for (const one of inCode ? [inCode, ...provided] : provided) checkLimits(one);
  const { model, summarizer, summarizerModel, summarizerAgents, compaction } = settings;
  const open = (fields: SummarizerFields, subject: string): Promise<Summarizer> =>
    createModelSummarizer({ ...request, sessionModel: model, fields, subject });
  const agents = new Map<string, Summarizer>();
  for (const [name, fields] of Object.entries(summarizerAgents))
    agents.set(name, await open(fields, `summarizerAgents.${name}`));
  const openUnless = async (isIdle: boolean, fields: SummarizerFields): Promise<Summarizer | undefined> =>
    inCode || isIdle ? undefined : open(fields, 'summarizerModel');
  const byDefault = await openUnless(summarizer !== 'model', summarizerModel);
  // The summarizer on the session's own model.
  const bySession = await openUnless(!compaction.prompt, { ...summarizerModel, model: null });

  return ({ from, name }, sessionModel) => {
    const ofPlugin = from === 'code' && !inCode ? provided.find((one) => one.name === name) : undefined;
    const ofSession = sessionModel === model ? bySession : undefined;
    const found =
      ofPlugin ??
      (from === 'agent' ? agents.get(name) : (inCode ?? (from === 'prompt' ? ofSession : byDefault)));
    if (found) return found;
    throw new SpillwayError('CONFIG_INVALID', {
      subject: from === 'prompt' ? 'model' : `compaction.${from}`,
      found: from === 'prompt' ? sessionModel : name,
      remedy: 'Name the model in the settings of all or of the agent, so that Spillway opens it at start.',
    });
  };
}

/** Checks a summarizer's limits, because a wrong limit would be sent to the endpoint. Throws `CONFIG_INVALID`. */
function checkLimits(summarizer: Summarizer): void {
  for (const limit of ['window', 'outputLimit'] as const) {
    const found = summarizer[limit];
    if (found === undefined || found > 0) continue;
    throw new SpillwayError('CONFIG_INVALID', {
      subject: `summarizer ${summarizer.name}, ${limit}`,
      found,
      allowed: 'a number of tokens above 0',
      remedy: 'Give the limit of the model, or leave it out.',
    });
  }
}

/** The prompts of all stages; missing ones are written to the operator's folder. Throws `CONFIG_INVALID`. */
export function promptsFor(sources: PromptSources): Prompts {
  const { custom, files = {} } = sources;
  const unknown = Object.keys(files).filter((name) => !PROMPT_FILES.includes(name));
  if (unknown.length > 0)
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'fill.promptFiles',
      found: unknown.join(', '),
      allowed: PROMPT_FILES.join(', '),
      remedy: 'Name existing prompts.',
    });
  try {
    return loadPrompts(sources);
  } catch (cause) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: Object.keys(files).length > 0 ? 'fill.prompts, fill.promptFiles' : 'fill.prompts',
      found: (cause as { readonly path?: string }).path ?? custom,
      allowed: 'a folder and files that can be read and written, none of them empty',
      remedy: 'Fix the path or its permissions, or leave the setting empty. A prompt file must have text.',
      cause,
    });
  }
}

function ownPrompt(named: string, sources: PromptSources, subject = 'compaction.prompt'): Prompt {
  try {
    return readPrompt(named, sources);
  } catch (cause) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject,
      found: named,
      allowed: 'a prompt of the folder by its name, or the path of a file',
      remedy: 'Write the prompt, or name an existing one.',
      cause,
    });
  }
}
