import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read, ROOT } from './source.js';

const folder = mkdtempSync(join(tmpdir(), 'spillway-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CHANGELOG = `# Changelog\n\nText.\n\n## [Unreleased]\n\n## [1.10.0] - 2027-01-02\n\n### For users\n\n- Ten.\n\n## [1.1.0] - 2026-12-01\n\n- One.\n`;

function notes(version: string) {
  const file = join(folder, 'CHANGELOG.md');
  writeFileSync(file, CHANGELOG);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts', 'release-notes.mjs'), version, file],
    { encoding: 'utf8' },
  );
  return { stdout, stderr, status };
}

it('CHANGELOG.md has the headings that a release looks for: first Unreleased, then versions with a date', () => {
  const [first, ...others] = [...read('CHANGELOG.md').matchAll(/^## .*$/gm)].map(([line]) => line);
  expect(first).toBe('## [Unreleased]');
  for (const line of others) expect(line).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
});

it('the notes of a release are its section of the changelog, and a version without a section is refused', () => {
  expect(notes('1.10.0')).toMatchObject({ stdout: '### For users\n\n- Ten.\n', status: 0 });
  expect(notes('1.1.0')).toMatchObject({ stdout: '- One.\n', status: 0 });
  expect(notes('1.2.0')).toMatchObject({
    stdout: '',
    status: 1,
    stderr: expect.stringMatching(/says nothing of 1\.2\.0/),
  });
  expect(notes('Unreleased')).toMatchObject({ status: 1 });
});
