import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { fixturesOf, runFixture } from './fixtures.js';

describe.each(BUILT_IN_STAGES.map((stage) => stage.name))('fixtures of %s', (name) => {
  it.each(fixturesOf(name))('$file: $fixture.title', ({ fixture }) => {
    const run = runFixture(name, fixture);
    expect(run.faults).toEqual([]);
    expect(run.chat).toEqual(fixture.expected);
    // The same stage, asked again for what is still missing, has nothing to add.
    expect(run.again).toBe(0);
  });
});
