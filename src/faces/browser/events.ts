/** `node:events` without Node. */
import { EventEmitter } from 'events';

export { EventEmitter };
/** Browsers do not warn about too many listeners. */
export const setMaxListeners = (): void => undefined;

export default EventEmitter;
