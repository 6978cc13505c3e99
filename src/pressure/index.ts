export { EventHub } from './hub.js';
export { PressureStream, type BoughtText, type PressureEvent } from './stream.js';
export { boughtText } from './bought-text.js';
