import { exportsOf, read } from './source.js';

/** Door -> every name that others may rely on, types too. A change here is a change for users: CHANGELOG.md. */
const surface = JSON.parse(read('test/unit/house/surface.json')) as Record<string, string[]>;

const { exports } = JSON.parse(read('package.json')) as {
  exports: Record<string, string | { readonly types: string }>;
};
/** Each door of the package as the source file that it is built from. */
const doors = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : target.types.replace('./dist/', 'src/').replace('.d.ts', '.ts'),
);

it('lists every door of the package', () => {
  expect(Object.keys(surface)).toEqual(doors);
});

it.each(doors)('%s exports what surface.json lists, no more and no less', (door) => {
  expect(exportsOf(door)).toEqual(surface[door]);
});
