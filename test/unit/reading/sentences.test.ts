import { describe, expect, it } from '@jest/globals';
import { joinedLines, sentencesOf } from '../../../src/reading/sentences.js';

describe('sentences of a prose', () => {
  it('are split at their ends, and items of a list stand alone', () => {
    expect(sentencesOf('Fix the login. Then push.\n- no new packages\n- keep the API')).toEqual([
      'Fix the login.',
      'Then push.',
      '- no new packages',
      '- keep the API',
    ]);
  });

  it('go on behind a line that was full', () => {
    const wrapped =
      '- Send the header on review routes only (`/api/reviews`),\n  so that it reaches no other host';
    expect(sentencesOf(`${wrapped}\n- next`)).toEqual([wrapped, '- next']);
  });

  it('go on behind an item where the next line is indented', () => {
    const wrapped = '- All migrations are additive and safe for existing deployed\n  DBs; none is renamed';
    expect(sentencesOf(wrapped)).toEqual([wrapped]);
  });

  it('end with a line that was not full, at a blank line and at an item', () => {
    expect(sentencesOf('ok do that\nnever push')).toEqual(['ok do that', 'never push']);
    const long = 'This line is long enough to have been wrapped by an editor';
    expect(sentencesOf(`${long}\n\nand this is another`)).toEqual([long, 'and this is another']);
    expect(sentencesOf(`${long}\n- and an item`)).toEqual([long, '- and an item']);
    expect(sentencesOf(`${long}\nAnother begins in a capital`)).toEqual([
      long,
      'Another begins in a capital',
    ]);
  });

  it('leave code out', () => {
    expect(sentencesOf('Look:\n```\nnever();\n```\nDone now')).toEqual(['Look:', 'Done now']);
  });
});

it('joins the lines of a text, indented or not', () => {
  expect(joinedLines('one\n  two\nthree')).toBe('one two three');
});
