/**
 * Runs one peer's adapter in a process of its own, so that one that prints, hangs or ends the process harms nothing.
 * node peer-host.mjs ADAPTER.mjs; then over IPC { messages, budget } -> { messages } or { error }.
 */
import { pathToFileURL } from 'node:url';

console.log = console.info = console.debug = console.warn = () => {};
const { default: adapter } = await import(pathToFileURL(process.argv[2]).href);

process.on('message', async ({ messages, budget }) => {
  try {
    const native = await adapter.prepare(messages, budget);
    const out = await adapter.finish(await adapter.run(native, budget), messages, native);
    process.send({ messages: out });
  } catch (error) {
    process.send({ error: String(error).slice(0, 300) });
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: true, cannot: adapter.cannot });
