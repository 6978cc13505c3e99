export * from './gates.js';
export { EventHub, PressureStream, SerialQueue } from './stream.js';
export { boughtText, type BoughtText, type PressureEvent } from './events.js';
