import { expect, it } from '@jest/globals';
import { read, sourceFiles } from './source.js';

/** Where a file outgrows this, it has become two things. Most should stay between 40 and 150. */
const MAX_LINES = 300;

it(`no source file is longer than ${MAX_LINES} lines`, () => {
  const lengths = sourceFiles().map((file) => ({
    file,
    lines: read(`src/${file}`).trimEnd().split('\n').length,
  }));
  expect(lengths.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
});
