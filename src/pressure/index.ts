export { EventHub } from './hub.js';
export {
  PressureStream,
  type BoughtText,
  type Emit,
  type PressureEvent,
  type Respond,
  type Settled,
} from './stream.js';
export { boughtText } from './bought-text.js';
