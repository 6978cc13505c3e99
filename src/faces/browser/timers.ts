/** `setImmediate` without Node: waits for a turn of the event loop, without the four milliseconds of a timer. */
const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.addEventListener('message', () => waiting.shift()?.());
port1.start();

export function setImmediate(task: () => void): void {
  waiting.push(task);
  port2.postMessage(undefined);
}

export default { setImmediate };
