import { describe, expect, it } from '@jest/globals';
import { bindingOf } from '../../../../src/outline/said/index.js';

describe('how much a sentence binds', () => {
  it.each([
    'Never push to main.',
    'The key must be unique.',
    'It must be signed before it ships.',
    'The table parts_ledger is off limits!',
    'Always there must be a fallback.',
    'You must have a test for each fix.',
    'They must not be renamed.',
    'Bitte niemals den Dienst neu starten!',
    'Keep the bundle below 180 kB.',
    'We must never log tokens.',
  ])('a rule: %s', (sentence) => {
    expect(bindingOf(sentence)).toBe(2);
  });

  it.each([
    'It must be awesome to see them up close.',
    'Haha, that must’ve been hilarious!',
    'They’re always there for each other.',
    'Yup, I still remember every time we went hiking.',
    'Can’t wait!',
    'Trying new places is always fun.',
    'Don’t give up!',
  ])('talk: %s', (sentence) => {
    expect(bindingOf(sentence)).toBeLessThan(2);
  });
});
