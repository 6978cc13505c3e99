// Jest's order of test files, but those of test/unit last: they are short, so that no worker ends long before the other. By
// size alone, as in a fresh clone, a file of ten lines that runs a whole kit begins last.
import { sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const UNIT = `${sep}test${sep}unit${sep}`;

export default class LongFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isUnit = ({ path }) => path.includes(UNIT);
    return [...sorted.filter((test) => !isUnit(test)), ...sorted.filter(isUnit)];
  }
}
