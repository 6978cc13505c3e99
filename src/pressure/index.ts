export * from './gates.js';
export { EventHub } from './hub.js';
export { TaskQueue } from './queue.js';
export { PressureStream } from './stream.js';
export { boughtText, type BoughtText, type PressureEvent } from './events.js';
