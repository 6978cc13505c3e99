export { EventHub } from './hub.js';
export { PressureStream, type Emit, type PressureEvent, type Respond, type Settled } from './stream.js';
