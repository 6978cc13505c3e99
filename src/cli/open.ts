import { formatNamed, formats } from '../wire/index.js';
import { type ReadSession } from '../importers/index.js';
import { createSpillway, type Budget, type Session, type Warning } from '../index.js';
import { DEFAULT_WINDOW } from '../tokens/index.js';
import { sourcesOf, type Closable, type EngineOptions } from './engine.js';
import { amount } from './report/numbers.js';
import type { Terminal } from './terminal.js';

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

export interface Opened extends Closable {
  /** Field of a request's body that holds the messages, in the format that is written. */
  readonly messagesField: string;
  readonly session: Session;
  /** What an operator should know before relying on the result; said already, or for the report where that is JSON. */
  readonly warnings: readonly Warning[];
}

/** A fresh session for what was read, under the policy of the command line; who opens it closes it. */
export async function openFor(
  input: ReadSession,
  options: PolicyOptions,
  terminal: Terminal,
): Promise<Opened> {
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
    messagesField: formatNamed(to).messagesField,
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
