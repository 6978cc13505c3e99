import { jest } from '@jest/globals';
import { readyVocabulary } from '../../../../src/faces/browser/vocabulary.js';

afterEach(() => void jest.restoreAllMocks());

it.each([
  ['nothing', () => new Response('', { status: 404 })],
  ['nobody', () => Promise.reject(new TypeError('fetch failed'))],
  ['the page that servers of apps give for what they do not have', () => new Response('<!doctype html>')],
])('says where it looked, and what to do, where %s answers', async (_, answer) => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
  await expect(readyVocabulary('o200k_base')).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringContaining('vocabulary/o200k_base.deflated'),
  });
});
