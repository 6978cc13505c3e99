export { PressureStream, type Emit, type PressureEvent, type Respond, type Settled } from './stream.js';
