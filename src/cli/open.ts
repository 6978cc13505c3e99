import type { ReadSession } from '../formats/index.js';
import { createSpillway, type Session } from '../index.js';
import type { Terminal } from './terminal.js';

/** Options that decide how a session is kept, the same for every command that keeps one. */
export interface PolicyOptions {
  readonly window?: number;
  readonly model?: string;
  readonly profile?: string;
  readonly config?: string;
  readonly format: string;
  readonly out?: string;
  readonly report?: string;
  readonly json?: boolean;
}

/** A fresh session for what was read, under the policy of the command line. */
export async function openFor(
  input: ReadSession,
  options: PolicyOptions,
  terminal: Terminal,
): Promise<Session> {
  const spillway = await createSpillway({
    env: terminal.env,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(options.config !== undefined && { configFile: options.config }),
    // A window on the command line is the input budget itself: nothing is kept back for an answer.
    ...(options.window !== undefined && { inputBudget: options.window }),
    ...(options.model !== undefined && { model: options.model }),
  });
  const session = spillway.session({ tools: input.parsed.tools ?? [] });
  const { authoritative, derivation } = session.reading.budget;
  if (!authoritative) {
    terminal.note(
      `warning: the window is a guess (${derivation[0] ?? '128,000 tokens'}); name --window or --model`,
    );
  }
  return session;
}
