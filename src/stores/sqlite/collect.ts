import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let soon: Promise<void> | undefined;

/**
 * Has the statements of a closed database collected. libsql closes the file with the last of them, and has no other way to
 * let go of one: until a collection that may never come the file stays open, which keeps it from being moved or deleted
 * on some systems, and a process that opens and closes stores runs out of descriptors. Takes about a millisecond for ten
 * megabytes of heap, so databases that are closed together share one. Where the engine offers no collection, nothing happens.
 */
export function collectStatements(): Promise<void> {
  return (soon ??= collectSoon());
}

async function collectSoon(): Promise<void> {
  await nextTurn();
  soon = undefined; // what is closed from here on waits for another
  try {
    collector()();
  } catch {
    return;
  }
  // What was collected is let go of in a task of its own.
  await nextTurn();
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let found: (() => void) | undefined;

function collector(): () => void {
  if (typeof globalThis.gc === 'function') return globalThis.gc;
  if (found) return found;
  setFlagsFromString('--expose-gc');
  found = runInNewContext('gc') as () => void;
  // Nobody else is to find it.
  setFlagsFromString('--no-expose-gc');
  return found;
}
