/** `node:crypto` without Node: the one hash that is used, and ids. */
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from './buffer.js';

class Sha256 {
  readonly #hash = sha256.create();

  update(data: string | Uint8Array): this {
    this.#hash.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
    return this;
  }

  digest(encoding: 'hex' | 'base64' | 'base64url'): string {
    const text = Buffer.from(this.#hash.digest()).toString(encoding === 'hex' ? 'hex' : 'base64');
    return encoding === 'base64url'
      ? text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
      : text;
  }
}

/** Throws if another hash is requested. */
export function createHash(name: string): Sha256 {
  if (name !== 'sha256') throw new Error(`There is no ${name} here, sha256 alone.`);
  return new Sha256();
}

/** Also works on a page loaded by plain HTTP, where the browser has no `randomUUID`. */
export function randomUUID(): string {
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return [0, 8, 12, 16, 20].map((at, part, all) => hex.slice(at, all[part + 1])).join('-');
}

export default { createHash, randomUUID };
