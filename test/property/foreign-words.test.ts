import fc from 'fast-check';
import { startEmulator } from '../emulator/index.js';
import { inLibrary, inProxy, type Tried } from '../fuzz/histories.js';

/** How many histories; `npm run fuzz:histories` takes as many as one has time for. */
const RUNS = 60;
async function holds({ property, close }: Tried, numRuns: number): Promise<void> {
  await fc.assert(property, { numRuns });
  await close();
}

it('R1: a session sends the newest message of its client, and no word that the client did not send', async () => {
  await holds(inLibrary('memory'), RUNS);
});

it('R1: a session sends only its client’s own words after its file was opened again', async () => {
  await holds(inLibrary('sqlite'), RUNS / 2);
});

it('R1: the proxy sends each of three clients that share beginnings its own words, also after a restart', async () => {
  await holds(inProxy('memory', await startEmulator()), RUNS / 3);
});
