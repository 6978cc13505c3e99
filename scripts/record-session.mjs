/**
 * Records `examples/sessions/pressure-gauge.jsonl`: a scripted agent that really works, in a throw-away copy of this
 * checkout. Its messages are written beforehand (`record-session/story/`); every result is the tool's real output. Each
 * step states what the output must contain, so that a message and a result that disagree are noticed.
 *
 *     node scripts/record-session.mjs [--commit <id> | --tree] [--out <file>] [--keep]
 *
 * --commit  record in the files of this commit; default: the one the story was written for
 * --tree    record in the working tree as it is; if the source has changed too much, a step reports what is missing
 * --keep    keeps the copy and prints its path
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSession } from './record-session/checks.mjs';
import { meta } from './record-session/meta.mjs';
import { record } from './record-session/record.mjs';
import { story } from './record-session/story/index.mjs';
import { openWorkspace } from './record-session/workspace.mjs';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = optionOf('--out') ?? join(checkout, 'examples/sessions/pressure-gauge.jsonl');

/** The engine's first commit. A later commit works as long as every step still finds its texts. */
const WRITTEN_FOR = '1fb8c2f5733080e60ef062256ee0f8e532dbcc2a';

const commit = process.argv.includes('--tree') ? undefined : (optionOf('--commit') ?? WRITTEN_FOR);
const workspace = openWorkspace(checkout, commit);
try {
  const messages = record(story, workspace, (line) => process.stderr.write(`${line}\n`));
  const lines = [meta(commit), ...messages].map((value) => JSON.stringify(value));
  const { faults, figures } = checkSession(lines);
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  if (faults.length > 0) throw new Error(`the recording is not usable:\n  ${faults.join('\n  ')}`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${lines.join('\n')}\n`);
  process.stdout.write(`${out}\n`);
} finally {
  if (process.argv.includes('--keep')) process.stderr.write(`kept ${workspace.folder}\n`);
  else workspace.remove();
}

function optionOf(name) {
  const at = process.argv.indexOf(name);
  return at > 0 ? process.argv[at + 1] : undefined;
}
