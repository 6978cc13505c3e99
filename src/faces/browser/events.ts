/** `node:events` where there is no Node. */
import { EventEmitter } from 'events';

export { EventEmitter };
/** Browsers warn of no listener too many. */
export const setMaxListeners = (): void => undefined;

export default EventEmitter;
