import { spawnSync } from 'node:child_process';
import { filesBelow, read, ROOT } from './source.js';

/** What docs/architecture.md says of today: these figures may fall, and then the page is to say so; they may not rise. */
const SAID = read('docs/architecture.md');

function said(row: RegExp): number[] {
  const [, today] = row.exec(SAID) ?? [];
  return today!.split(', ').map((figure) => Number(figure.replace(',', '')));
}

it('src has no more lines and files than the page of its architecture says', () => {
  const [lines, files] = said(/\| lines of `src`, files \|.*\*\*([\d,]+, [\d,]+)\*\*/) as [number, number];
  const all = filesBelow('src', /./);
  const counted = all.reduce((sum, file) => sum + read(`src/${file}`).split('\n').length - 1, 0);
  expect(counted).toBeLessThanOrEqual(lines);
  expect(counted).toBeGreaterThan(lines - 500);
  expect(all.length).toBeLessThanOrEqual(files);
});

it('a request enters no more files, and changes floors no more often, than that page says', () => {
  const { stdout } = spawnSync('npm', ['run', '--silent', 'walk', '--', '--counts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const walked = [...stdout.matchAll(/: (\d+) files, (\d+) changes/g)].map(([, ...of]) => of.map(Number));
  const quiet = said(/\| files that a quiet request enters.*\*\*([\d, ]+)\*\*/);
  const compacting = said(/\| the same of one that compacts.*\*\*([\d, ]+)\*\*/);
  expect(walked).toHaveLength(2);
  for (const [at, most] of [quiet, compacting].entries())
    for (const [of, figure] of most.entries()) expect(walked[at]![of]).toBeLessThanOrEqual(figure);
});
