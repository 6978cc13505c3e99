import { expect, it } from '@jest/globals';
import { exists, exportsOf, read } from './source.js';

/** Door -> every name that others may rely on, types too. A change here is a change for users: CHANGELOG.md. */
const surface = JSON.parse(read('test/unit/house/surface.json')) as Record<string, string[]>;

it.each(Object.keys(surface))('%s exports what surface.json lists, no more and no less', (door) => {
  expect(exists(door) ? exportsOf(door) : []).toEqual(surface[door]);
});
