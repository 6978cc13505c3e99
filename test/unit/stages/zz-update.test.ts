import { it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { fixturesOf, runFixture, STAGES_FOLDER } from './fixtures.js';
it('updates', () => {
  for (const { name } of BUILT_IN_STAGES) for (const { file, fixture } of fixturesOf(name)) {
    const run = runFixture(name, fixture);
    console.log(name, file, run.before, run.after, 'again', run.again, run.faults);
    writeFileSync(`${STAGES_FOLDER}${name}/fixtures/${file}`, JSON.stringify({ ...fixture, expected: run.chat }, null, 2) + '\n');
  }
});
