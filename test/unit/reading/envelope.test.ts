import { describe, expect, it } from '@jest/globals';
import { withoutEnvelope } from '../../../src/reading/envelope.js';

describe('an output without what a host writes around it', () => {
  it.each([
    [
      'Chunk ID: 17af58\nWall time: 1.0 seconds\nProcess exited with code 0\nOriginal token count: 13\nOutput:\nok  mill 0.4s\n',
      'ok  mill 0.4s',
    ],
    ['Script completed\nWall time 2.7 seconds\nOutput:\n\n{"exit_code":0,"output":""}', ''],
    ['{"output":"3 files changed\\n","metadata":{"exit_code":0}}', '3 files changed'],
    ['<returncode>0</returncode>\n<output>\n12 passed\n</output>', '12 passed'],
    ['Exit code: 1\nOutput:\n', ''],
  ])('%j says %j', (text, said) => {
    expect(withoutEnvelope(text)).toBe(said);
  });

  it.each([
    'Output of the mill: 12 sacks',
    'status: ok',
    '{"name":"mill"}',
    '{ not json',
    'commanded by nobody\nOutput:\nx',
    '1 failed, 7 passed',
  ])('leaves %j as it is', (text) => {
    expect(withoutEnvelope(text)).toBe(text);
  });
});
