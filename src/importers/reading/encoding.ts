import { TEXT, wrongFormat } from './faults.js';

/** First bytes of files that people do pass by mistake. */
const MAGIC: readonly (readonly [name: string, bytes: readonly number[], remedy: string])[] = [
  ['UTF-16 text', [0xff, 0xfe], 'Convert it to UTF-8.'],
  ['UTF-16 text', [0xfe, 0xff], 'Convert it to UTF-8.'],
  ['a gzip file', [0x1f, 0x8b], 'Decompress it first.'],
  ['a Zstandard file', [0x28, 0xb5, 0x2f, 0xfd], 'Decompress it first.'],
  ['a ZIP file', [0x50, 0x4b, 0x03, 0x04], 'Unpack it first.'],
];

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The first chunk without a byte order mark. Throws `INPUT_FORMAT` where it is no UTF-8 text. */
export function checkedHead(path: string, head: Buffer): Buffer {
  for (const [name, bytes, remedy] of MAGIC) {
    if (bytes.every((byte, at) => head[at] === byte)) throw wrongFormat(path, name, TEXT, remedy);
  }
  // JSON text has no zero byte at all, and every other byte zero is how UTF-16 shows Latin letters.
  const sample = head.subarray(0, 4096);
  const zeros = sample.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  if (zeros * 3 > sample.length) throw wrongFormat(path, 'UTF-16 text', TEXT, 'Convert it to UTF-8.');
  if (zeros > 0) throw wrongFormat(path, 'a binary file', TEXT, 'Pass the session as its agent wrote it.');
  return head.subarray(0, 3).equals(UTF8_BOM) ? head.subarray(3) : head;
}
