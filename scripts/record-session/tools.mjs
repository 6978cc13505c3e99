/** The agent's tools. They really read, search, edit and run; a tool that fails answers with an error text. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The longest time for a command. Type checking the whole tree takes 12 s. */
const COMMAND_TIMEOUT_MS = 180_000;

export const TOOLS = {
  /** `{path, from?, lines?}`: the file, or `lines` lines from line `from`. */
  read_file({ path, from, lines }, { folder }) {
    const file = inside(folder, path);
    if (!existsSync(file)) return failed(`no such file: ${path}`);
    const text = readFileSync(file, 'utf8');
    if (from === undefined) return done(text);
    const all = text.split('\n');
    const part = all.slice(from - 1, from - 1 + lines);
    return done(`(lines ${from}-${from - 1 + part.length} of ${all.length})\n${part.join('\n')}`);
  },

  /** `{pattern, path}`: `grep -rnE`, in the order of paths and lines. */
  search({ pattern, path }, { folder, env }) {
    inside(folder, path);
    const args = ['-rnE', '--exclude-dir=fixtures', '--', pattern, path];
    const found = spawnSync('grep', args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (found.status === 1) return done('no matches');
    if (found.status !== 0) return failed(found.stderr.trim());
    return done(inOrder(found.stdout.trimEnd().split('\n')).join('\n'));
  },

  /** `{path, depth}`: files with their sizes in lines, folders with a slash. */
  list_files({ path, depth }, { folder }) {
    const start = inside(folder, path);
    if (!existsSync(start)) return failed(`no such folder: ${path}`);
    return done(listing(start, depth, '').join('\n'));
  },

  /** `{path, old, new}`: replaces the only occurrence of `old`; an empty `old` makes a new file. */
  edit_file({ path, old, new: text }, { folder }) {
    const file = inside(folder, path);
    if (old === '') {
      if (existsSync(file)) return failed(`${path} exists; name the text to be replaced`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return done(`created ${path} (${text.split('\n').length - 1} lines)`);
    }
    if (!existsSync(file)) return failed(`no such file: ${path}`);
    const pieces = readFileSync(file, 'utf8').split(old);
    if (pieces.length === 1) return failed(`the old text does not occur in ${path}; nothing was changed`);
    if (pieces.length > 2)
      return failed(`the old text occurs ${pieces.length - 1} times in ${path}; nothing was changed`);
    writeFileSync(file, pieces.join(text));
    return done(`edited ${path} at line ${pieces[0].split('\n').length}`);
  },

  /** `{command}`: run by bash in the working folder; stdout and stderr unchanged. */
  run_command({ command }, { folder, env }) {
    const options = {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: COMMAND_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    };
    const { status, stdout, error } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], options);
    if (error) throw error;
    const text = withoutTimings(stdout).trimEnd();
    if (status === 0) return done(text === '' ? '(no output)' : text);
    return { ok: false, text: `${text}${text === '' ? '' : '\n'}(exit code ${status})` };
  },
};

function done(text) {
  return { ok: true, text };
}

function failed(what) {
  return { ok: false, text: `error: ${what}` };
}

function inside(folder, path) {
  const file = normalize(join(folder, path));
  if (file !== folder && !file.startsWith(`${folder}/`))
    throw new Error(`the script leaves the workspace: ${path}`);
  return file;
}

function inOrder(lines) {
  const key = (line) => /^([^:]*):(\d+):/.exec(line) ?? ['', line, '0'];
  return lines
    .map((line) => ({ line, path: key(line)[1], number: Number(key(line)[2]) }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.number - b.number))
    .map(({ line }) => line);
}

function listing(folder, depth, indent) {
  const names = readdirSync(folder)
    .filter((name) => name !== '.git' && name !== 'node_modules')
    .sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isDirectory())
      return [`${indent}${name} ${readFileSync(path, 'utf8').split('\n').length - 1}`];
    return [`${indent}${name}/`, ...(depth > 1 ? listing(path, depth - 1, `${indent}  `) : [])];
  });
}

/** Removes the durations that Jest, oxlint and prettier print, because they differ from run to run. */
function withoutTimings(text) {
  return text
    .replace(/^Time: .*\n?/gm, '')
    .replace(/ \(\d+(\.\d+)? m?s\)$/gm, '')
    .replace(/^(PASS|FAIL)( \S+) \(\d+(\.\d+)? s\)$/gm, '$1$2')
    .replace(/^Finished in .* on (\d+ files?).*$/gm, 'Finished on $1.')
    .replace(/ \d+(\.\d+)?ms( \(unchanged\))?$/gm, '$2')
    .replace(/\(node:\d+\)/g, '(node)');
}
