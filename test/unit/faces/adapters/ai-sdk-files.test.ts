import { sendable, storable } from '../../../../src/faces/adapters/ai-sdk-files.js';

const BYTES = new Uint8Array([1, 2, 250]);
const ADDRESS = new URL('https://example.org/a.png');
const BUCKET = new URL('gs://mill/a.png');
const PNG = { type: 'file', mediaType: 'image/png' };
const message = (data: unknown) => ({
  role: 'user',
  content: [
    { type: 'text', text: 'Look.' },
    { ...PNG, data },
  ],
});

describe('files of a prompt of the AI SDK', () => {
  it.each([
    ['bytes, version 6', BYTES, 'AQL6', 'AQL6'],
    ['a buffer, version 6', BYTES.buffer, 'AQL6', 'AQL6'],
    ['an address, version 6', ADDRESS, ADDRESS.href, ADDRESS],
    ['an address of another scheme, version 6', BUCKET, BUCKET.href, BUCKET],
    [
      'bytes, version 7',
      { type: 'data', data: BYTES },
      { type: 'data', data: 'AQL6' },
      { type: 'data', data: 'AQL6' },
    ],
    [
      'an address, version 7',
      { type: 'url', url: ADDRESS },
      { type: 'url', url: ADDRESS.href },
      { type: 'url', url: ADDRESS },
    ],
    ['a reference, version 7', { type: 'reference', reference: { openai: 'f1' } }, undefined, undefined],
    ['text, version 7', { type: 'text', text: 'a,b' }, undefined, undefined],
    ['base64', 'AQL6', undefined, undefined],
  ])('are plain JSON in a store and whole before the model: %s', (_what, data, stored, sent) => {
    const given = message(data);
    const kept = storable(given);
    expect(kept).toEqual(message(stored ?? data));
    expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
    expect(sendable(kept)).toEqual(message(sent ?? data));
  });

  it.each([[message('AQL6')], [{ role: 'system', content: 'Be brief.' }], [{ role: 'tool', content: [] }]])(
    'leaves a message alone that has none to change: %j',
    (given) => {
      expect(storable(given)).toBe(given);
      expect(sendable(given)).toBe(given);
    },
  );
});
