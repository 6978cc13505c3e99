/** `node:buffer` without Node. */
import { Buffer } from 'buffer';

export { Buffer };
/** A browser's strings can be at least this long. */
export const constants = { MAX_STRING_LENGTH: 2 ** 29 - 24 };

/** Whether bytes are UTF-8 from the first to the last. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export default { Buffer, constants, isUtf8 };
