import { filesBelow, read, sourceFiles } from './source.js';

/** Where a file outgrows this, it has become two things. Most should stay between 40 and 150. */
const MAX_LINES = 300;

it(`no source file is longer than ${MAX_LINES} lines`, () => {
  const ofPage = filesBelow('page/src', /\.tsx?$/).map((file) => `page/src/${file}`);
  const lengths = [...sourceFiles().map((file) => `src/${file}`), ...ofPage].map((file) => ({
    file,
    lines: read(file).trimEnd().split('\n').length,
  }));
  expect(lengths.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
});
