// What Node has as globals and browsers have not; put in wherever they are named.
import process from 'node:process';

export { Buffer } from 'node:buffer';
export { setImmediate } from 'node:timers';
export { process };
