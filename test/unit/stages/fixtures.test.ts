import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { fixturesOf, runFixture, STAGES_FOLDER } from './fixtures.js';

/** `SPILLWAY_TEST_WRITE=1` writes what stages do now into the fixtures: read the difference before you commit it. */
const writes = process.env['SPILLWAY_TEST_WRITE'] !== undefined;

describe.each(BUILT_IN_STAGES.map((stage) => stage.name))('fixtures of %s', (name) => {
  it.each(fixturesOf(name))('$file: $fixture.title', ({ file, fixture }) => {
    const run = runFixture(name, fixture);
    if (writes)
      writeFileSync(
        join(STAGES_FOLDER, name, 'fixtures', file),
        `${JSON.stringify({ ...fixture, expected: run.chat }, undefined, 2)}\n`,
      );
    expect(run.faults).toEqual([]);
    if (!writes) expect(run.chat).toEqual(fixture.expected);
    // The same stage, asked again for what is still missing, has nothing to add.
    expect(run.again).toBe(0);
  });
});
