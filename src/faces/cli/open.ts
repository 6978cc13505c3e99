import { type ReadSession } from '../importers/index.js';
import {
  createSpillway,
  type Budget,
  type Spillway,
  type SpillwayOptions,
  type Warning,
} from '../../index.js';
import { present } from '../operations/index.js';
import { DEFAULT_WINDOW } from '../../tokens/index.js';
import { formatNamed, formats } from '../../formats/index.js';
import { amount } from './report/numbers.js';
import type { Terminal } from './terminal.js';

/** Options of a command line that say under which settings it runs. */
export interface EngineOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly model?: string;
  readonly window?: number;
}

/** A window on the command line is the input budget itself: nothing is kept back for an answer. */
export function sourcesOf(
  { profile, config, model, window }: EngineOptions,
  { env }: Terminal,
  store: string | null,
): SpillwayOptions {
  return { store, env, ...present({ profile, configFile: config, model, inputBudget: window }) };
}

/** What has to be closed when a command ends: plugins hold files and connections. */
export interface Closable {
  close(): Promise<void>;
}

/** Opens an engine for one command, and closes it behind the command. */
export async function withEngine<T>(
  options: SpillwayOptions,
  act: (spillway: Spillway) => T | Promise<T>,
): Promise<T> {
  const spillway = await createSpillway(options);
  return closing([spillway], () => act(spillway));
}

/** Closes all of them behind some work, whatever comes of it. */
export async function closing<T>(opened: readonly Closable[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
}

/** What a recording is written as where `--to` names no format; a request is written in its own. */
const DEFAULT_WIRE = 'openai-chat';

/** Options that decide how a session is kept, the same for every command that keeps one. */
export interface PolicyOptions extends EngineOptions {
  readonly format: string;
  /** Wire format of what is written; absent: the format of a request, OpenAI chat for a recording. */
  readonly to?: string;
  readonly out?: string;
  readonly report?: string;
  readonly json?: boolean;
}

export type Opened = Awaited<ReturnType<typeof openFor>>;

/** A fresh session for what was read, under the policy of the command line; who opens it closes it. */
export async function openFor(input: ReadSession, options: PolicyOptions, terminal: Terminal) {
  const to = options.to ?? (formats.has(input.format) ? input.format : DEFAULT_WIRE);
  const sources = { ...sourcesOf(options, terminal, null), format: formatNamed(to) };
  const named = await createSpillway(sources);
  const { window, model } = named.config.settings;
  const isGuess = window === null && model === null;
  if (isGuess) await named.close();
  const spillway = isGuess ? await createSpillway({ ...sources, inputBudget: DEFAULT_WINDOW }) : named;
  const session = spillway.session({ tools: input.parsed.tools ?? [] });
  const warnings = warningsOf(session.reading.budget, options, isGuess);
  if (!options.json) for (const { message } of warnings) terminal.note(`warning: ${message}`);
  return {
    session,
    /** Field of a request's body that holds the messages, in the format that is written. */
    messagesField: formatNamed(to).messagesField,
    /** What an operator should know before relying on the result; said already, or for the report where that is JSON. */
    warnings,
    close: () => spillway.close(),
  };
}

function warningsOf(
  { authoritative, window }: Budget,
  { model }: PolicyOptions,
  isGuess: boolean,
): Warning[] {
  if (authoritative && !isGuess) return [];
  const why = model === undefined ? 'no model was named' : `nothing is known of the model ${model}`;
  const message = `the window is a guess, ${amount(window)} tokens, for ${why}; say it with --window${model === undefined ? ' or --model' : ''}`;
  return [{ code: 'window-guessed', message }];
}
