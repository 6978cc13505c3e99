import type { Act } from './acts.js';
import { serveEmulator, type Decide, type Emulator } from './server.js';

export { GOOD, POISON, type Act, type Said } from './acts.js';
export type { Decide, Emulator, Received } from './server.js';

const started: Emulator[] = [];
afterAll(() => started.forEach((emulator) => emulator.close()));

/** An emulated model that reacts with `otherwise` unless its script has an act; closed after the file's tests. */
export async function startEmulator(otherwise: Act | Decide = 'good'): Promise<Emulator> {
  const emulator = await serveEmulator();
  emulator.otherwise = otherwise;
  started.push(emulator);
  return emulator;
}

/** Resolves when `count` requests have arrived. */
export async function arrived(emulator: Emulator, count: number): Promise<void> {
  while (emulator.received.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}
