// Runs one adapter of another package in a process of its own: one that prints, hangs or ends the process harms nothing.
// `node peer-host.mjs ADAPTER [memory]`; then, message by message, { messages, budget } -> { messages, ms, heapBytes } or { error }.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';

let heap = () => 0;
if (process.argv[3] === 'memory') {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

console.log = console.info = console.debug = console.warn = () => {};
process.on('disconnect', () => process.exit());

const first = (error) => String(error instanceof Error ? error.message : error).slice(0, 300);

try {
  const { default: adapter } = await import(pathToFileURL(process.argv[2]).href);
  if (typeof adapter?.run !== 'function')
    throw new TypeError('no adapter: a module whose default export has a function `run`');
  const before = heap();
  process.on('message', async ({ messages, budget }) => {
    try {
      const native = adapter.prepare ? await adapter.prepare(messages, budget) : messages;
      // What its own work takes: a conversion of messages is the adapter's.
      const began = performance.now();
      const given = await adapter.run(native, budget);
      const ms = performance.now() - began;
      const kept = adapter.finish ? await adapter.finish(given, messages, native) : given;
      process.send({ messages: kept, ms, heapBytes: Math.max(0, heap() - before) });
    } catch (error) {
      process.send({ error: first(error) });
    }
  });
  process.send({ ready: { package: adapter.pkg ?? adapter.name }, cannot: adapter.cannot });
} catch (error) {
  process.send({ cannot: first(error) });
}
