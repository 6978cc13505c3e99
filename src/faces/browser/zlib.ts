/**
 * `node:zlib` where there is no Node. Nothing is made smaller: old plans of a session are kept as they are, in the memory of
 * one page, and come back by the function that belongs to it.
 */
import { Buffer } from './buffer.js';

export function deflateRaw(
  text: string,
  _options: unknown,
  told: (error: unknown, bytes: Uint8Array) => void,
): void {
  told(null, Buffer.from(text, 'utf8'));
}

export const inflateRawSync = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

export default { deflateRaw, inflateRawSync };
