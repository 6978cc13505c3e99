import { createSpillway, type Spillway, type SpillwayOptions } from '../index.js';
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
  return {
    store,
    env,
    ...(profile !== undefined && { profile }),
    ...(config !== undefined && { configFile: config }),
    ...(model !== undefined && { model }),
    ...(window !== undefined && { inputBudget: window }),
  };
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
