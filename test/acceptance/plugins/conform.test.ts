import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { linkPackages } from '../../support/packages.js';
import { spillway, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const packages = resolve('test', 'acceptance', 'plugins', 'packages');

/** Writes a package into a folder of its own, and returns its path. */
function written(name: string, manifest: unknown, module: string): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, 'package.json'),
    JSON.stringify({ name, type: 'module', main: './index.js', spillway: manifest }),
  );
  writeFileSync(join(path, 'index.js'), module);
  return path;
}

describe('N1: spillway conform on a plugin', () => {
  it('N1 K5: a package is judged when its folder or its module is named', async () => {
    for (const path of [join(packages, 'notes'), join(packages, 'notes', 'index.js')]) {
      const { code, out } = await spillway(['conform', path]);
      expect(out).toMatch(/^plugin notes \(export plugin\)\n {2}holds +PLUGIN-01 +has a manifest/m);
      expect(out).toMatch(/holds +PLUGIN-04/);
      expect(out).not.toMatch(/^ +fails/m);
      expect(code).toBe(0);
    }
  });

  it('N1 S10: a stage that it brings is judged by the rules for stages', async () => {
    const { out } = await spillway(['conform', join(packages, 'rosters'), '--json']);
    const { judged } = JSON.parse(out) as { judged: { kind: string; name: string; verdicts: object[] }[] };
    expect(judged.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'plugin spillway-rosters',
      'stage forget',
    ]);
    expect(judged[1]!.verdicts.length).toBeGreaterThan(10);
  });

  it('N1 K24: a reference plugin holds all rules, with the knobs that it exports for the judge', async () => {
    const to = join(folder.path, 'markdown');
    cpSync(resolve('examples', 'plugins', 'markdown'), to, { recursive: true });
    linkPackages(to);
    const { code, out } = await spillway(['conform', to]);
    expect(out).toMatch(/holds +PLUGIN-03/);
    expect([code, out.match(/^ +fails/gm)]).toEqual([0, null]);
  });

  it('N1 K5: a plugin that cannot be loaded fails by the rule that it breaks, and the exit code is 1', async () => {
    const odd = await spillway(['conform', written('odd', { hooks: [] }, 'export const plugin = {};')]);
    expect([odd.code, odd.out]).toEqual([1, expect.stringMatching(/fails +PLUGIN-01 .*\n +seen: .*hooks/)]);
    const half = await spillway([
      'conform',
      written('half', { role: 'observer' }, 'export const plugin = {};'),
    ]);
    expect(half.code).toBe(1);
    expect(half.out).toMatch(/holds +PLUGIN-01/);
    expect(half.out).toMatch(
      /fails +PLUGIN-02 .*\n +seen: .*no observer, which its manifest names as a role/,
    );
  });
});
