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

/** Options of a command line that choose its settings. */
export interface EngineOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly model?: string;
  readonly window?: number;
}

/** A window from the command line is the input budget itself: no reserve is subtracted. */
export function sourcesOf(
  { profile, config, model, window }: EngineOptions,
  { env }: Terminal,
  store: string | null,
): SpillwayOptions {
  return { store, env, ...present({ profile, configFile: config, model, inputBudget: window }) };
}

/** A resource that is closed at the end of a command, because plugins hold files and connections. */
export interface Closable {
  close(): Promise<void>;
}

/** Opens an engine for one command and closes it after the command. */
export async function withEngine<T>(
  options: SpillwayOptions,
  act: (spillway: Spillway) => T | Promise<T>,
): Promise<T> {
  const spillway = await createSpillway(options);
  return closeAfter([spillway], () => act(spillway));
}

/** Closes all resources after some work, even if the work fails. */
export async function closeAfter<T>(opened: readonly Closable[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
}

/** The format of the output for a recording without `--to`; a request is written in its own format. */
const DEFAULT_WIRE = 'openai-chat';

/** Options that decide how a session is compacted, shared by all commands that compact one. */
export interface PolicyOptions extends EngineOptions {
  readonly format: string;
  /** Wire format of the output. Default: the format of a request, or OpenAI chat for a recording. */
  readonly to?: string;
  readonly out?: string;
  readonly report?: string;
  readonly json?: boolean;
}

export type Opened = Awaited<ReturnType<typeof openFor>>;

/** Opens a new session for an input, under the policy of the command line. The caller closes it. */
export async function openFor(input: ReadSession, options: PolicyOptions, terminal: Terminal) {
  const to = options.to ?? (formats.has(input.format) ? input.format : DEFAULT_WIRE);
  const sources = { ...sourcesOf(options, terminal, null), format: formatNamed(to) };
  const configured = await createSpillway(sources);
  const { window, model } = configured.config.settings;
  const isGuess = window === null && model === null;
  if (isGuess) await configured.close();
  const spillway = isGuess ? await createSpillway({ ...sources, inputBudget: DEFAULT_WINDOW }) : configured;
  const session = spillway.session({ tools: input.parsed.tools ?? [] });
  const warnings = warningsOf(session.reading.budget, options, isGuess);
  if (!options.json) for (const { message } of warnings) terminal.note(`warning: ${message}`);
  return {
    session,
    /** The field of a request's body that holds the messages, in the output format. */
    messagesField: formatNamed(to).messagesField,
    /** Warnings about the reliability of the result. With `json`, only the report has them. */
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
