import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkPackages, runOwnTests } from '../support/packages.js';
import { spillway, temporaryFolder } from './support.js';

const folder = temporaryFolder();

describe('S10: spillway new', () => {
  it('S10: writes a package whose own tests pass, the conformance kit included, and can fail', async () => {
    const to = join(folder.path, 'tidy-logs');
    const { code, out, err } = await spillway(['new', 'stage', 'tidy-logs', '--folder', to]);
    expect([code, err]).toEqual([0, `cd ${to} && npm install && npm test\n`]);
    expect(readdirSync(to).sort()).toEqual(['README.md', 'index.js', 'package.json', 'test']);
    expect(out.match(/^written /gm)).toHaveLength(4);
    const manifest = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(manifest).toMatchObject({ name: 'tidy-logs', peerDependencies: { spillway: `^${version}` } });
    expect(readFileSync(join(to, 'index.js'), 'utf8')).toContain(
      "export const tidyLogsStage = defineStage({\n  name: 'tidy-logs'",
    );

    linkPackages(to);
    const tests = await runOwnTests(to);
    expect(tests.out).toMatch(/^# tests 19$/m);
    expect(tests.out).toMatch(/^# fail 0$/m);
    expect(tests.out).toMatch(/ok \d+ - STAGE-16 /);
    expect(tests.out.match(/# SKIP/g)).toHaveLength(1);
    expect(tests.code).toBe(0);

    // The test can fail.
    const index = join(to, 'index.js');
    writeFileSync(index, readFileSync(index, 'utf8').replace('if (isSettled(result) ||', 'if ('));
    writeFileSync(
      index,
      readFileSync(index, 'utf8').replace(/const text = [^;]+;/, 'const text = `${textOf(shown)} and more`;'),
    );
    const broken = await runOwnTests(to);
    expect([broken.code, broken.out]).toEqual([1, expect.stringMatching(/not ok \d+ - STAGE-11 /)]);
  });

  it('K5: spillway new plugin writes a package whose own tests load it by its manifest and pass', async () => {
    const to = join(folder.path, 'standing-note');
    expect((await spillway(['new', 'plugin', 'standing-note', '--folder', to])).code).toBe(0);
    linkPackages(to);
    const tests = await runOwnTests(to);
    expect(tests.out).toMatch(/^# pass 8$/m);
    expect(tests.code).toBe(0);
    // The test fails if manifest and module do not agree.
    const manifest = join(to, 'package.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"observer"', '"compactor"'));
    const broken = await runOwnTests(to);
    expect(broken.out).toMatch(/an? observer, which its manifest does not name as a role/);
    expect(broken.code).toBe(1);
  });

  it('S10: does not advise `npm install` below a project that has spillway', async () => {
    const project = join(folder.path, 'project');
    mkdirSync(join(project, 'node_modules', 'spillway'), { recursive: true });
    writeFileSync(join(project, 'node_modules', 'spillway', 'package.json'), '{ "name": "spillway" }');
    const to = join(project, 'tidy-logs');
    const { err } = await spillway(['new', 'stage', 'tidy-logs', '--folder', to]);
    expect(err).toBe(`cd ${to} && npm test\n`);
  });

  it('S10: accepts a reserved word as a name', async () => {
    const to = join(folder.path, 'default');
    expect((await spillway(['new', 'stage', 'default', '--folder', to])).code).toBe(0);
    expect(readFileSync(join(to, 'test', 'stage.js'), 'utf8')).toContain(
      "import { conform, defaultStage } from '../index.js';",
    );
  });

  it('S10: writes nothing if one of its files exists', async () => {
    const to = join(folder.path, 'mine');
    mkdirSync(to);
    writeFileSync(join(to, 'README.md'), 'mine');
    const { code, err } = await spillway(['new', 'stage', 'tidy-logs', '--folder', to]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/OUTPUT_UNWRITABLE: .*README\.md is there already/),
    ]);
    expect(readdirSync(to)).toEqual(['README.md']);
    expect(readFileSync(join(to, 'README.md'), 'utf8')).toBe('mine');
  });

  it('S10: leaves no file if not all of them can be written, and a second try succeeds', async () => {
    const to = join(folder.path, 'torn');
    mkdirSync(to);
    writeFileSync(join(to, 'test'), 'no folder');
    const { code, out, err } = await spillway(['new', 'stage', 'tidy-logs', '--folder', to]);
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^OUTPUT_UNWRITABLE: /)]);
    expect(readdirSync(to)).toEqual(['test']);
    rmSync(join(to, 'test'));
    expect((await spillway(['new', 'stage', 'tidy-logs', '--folder', to])).code).toBe(0);
  });

  it('S10: names what it accepts when it refuses an argument', async () => {
    for (const [args, said] of [
      [['stagecoach', 'mine'], /found "stagecoach"; allowed: stage, plugin/],
      [['stage', 'Tidy Logs'], /found "Tidy Logs"; allowed: small letters/],
      [['stage', '../out'], /found "\.\.\/out"/],
      [['stage', 'snip'], /found "snip, which Spillway has already/],
    ] as const) {
      const { code, err } = await spillway(['new', ...args]);
      expect([code, err]).toEqual([1, expect.stringMatching(said)]);
    }
    expect(existsSync('Tidy Logs')).toBe(false);
  });
});
