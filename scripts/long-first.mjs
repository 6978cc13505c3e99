// Jest's order of test files, but with the short ones of test/unit last, so that no worker ends long before the other.
// In a fresh clone Jest orders by size only, so a file of ten lines that runs a whole kit would begin last.
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
