import { createSpillway, type Spillway, type SpillwayOptions } from '../index.js';

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
