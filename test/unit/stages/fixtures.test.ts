import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { fixturesOf, rewrite, runFixture } from './fixtures.js';

/** `SPILLWAY_TEST_WRITE=1` writes what stages do now into the fixtures: read the difference before you commit it. */
const writes = process.env['SPILLWAY_TEST_WRITE'] !== undefined;

describe.each(BUILT_IN_STAGES.map((stage) => stage.name))('fixtures of %s', (name) => {
  it.each(fixturesOf(name))('$file: $fixture.title', ({ file, fixture }) => {
    const run = runFixture(name, fixture);
    if (writes) rewrite(name, file, { ...fixture, expected: run.chat });
    expect(run.faults).toEqual([]);
    if (!writes) expect(run.chat).toEqual(fixture.expected);
    // The same stage, asked again for what is still missing, has nothing to add.
    expect(run.again).toBe(0);
  });
});
