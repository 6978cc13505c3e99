// Globals that Node has and browsers lack. The build injects them into each module that names them.
import process from 'node:process';

export { Buffer } from 'node:buffer';
export { setImmediate } from 'node:timers';
export { process };
