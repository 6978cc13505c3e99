/** A throw-away copy of the checkout, and the neutral names under which a recording may speak of it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the agent believes it works. */
export const SHOWN_FOLDER = '/workspace/spillway';

/** Copied: what the product is made of. The recorder itself and its output would only be found by the searches. */
const COPIED = /^(src|test|config)\/|^[^/]+\.(json|ts)$|^\.(gitignore|prettierignore|prettierrc\.json)$/;

/** Takes the files of a commit, or of the working tree where none is named. The checkout itself is only read. */
export function openWorkspace(checkout, commit) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-record-')));
  const folder = join(root, 'spillway');
  const home = join(root, 'home');
  const temporary = join(root, 'tmp');
  for (const path of [folder, home, temporary]) mkdirSync(path);
  if (commit) unpack(checkout, commit, folder);
  else for (const file of listed(checkout)) copy(join(checkout, file), join(folder, file));
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));

  const env = {
    PATH: `${join(folder, 'node_modules/.bin')}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: temporary,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    NO_COLOR: '1',
    CI: '1',
    NODE_NO_WARNINGS: '1', // they carry process ids
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'agent',
    GIT_AUTHOR_EMAIL: 'agent@example.com',
    GIT_COMMITTER_NAME: 'agent',
    GIT_COMMITTER_EMAIL: 'agent@example.com',
    GIT_AUTHOR_DATE: '2025-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2025-01-01T00:00:00Z',
  };
  const git = (...args) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Start of the recording');

  return {
    folder,
    env,
    mask: maskOf([
      [folder, SHOWN_FOLDER],
      [root, '/workspace'],
      [realpathSync(checkout), SHOWN_FOLDER],
      [dirname(realpathSync(checkout)), '/workspace'],
      [homedir(), '/home/agent'],
    ]),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function unpack(checkout, commit, folder) {
  const files = looking(checkout, 'ls-tree', '-r', '-z', '--name-only', commit).toString().split('\0');
  const archive = looking(
    checkout,
    'archive',
    '--format=tar',
    commit,
    '--',
    ...files.filter((file) => COPIED.test(file)),
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

function listed(checkout) {
  const files = looking(checkout, 'ls-files', '--cached', '--others', '--exclude-standard', '-z')
    .toString()
    .split('\0');
  return files.filter((file) => COPIED.test(file)).sort();
}

/** Git commands that only look: not even the index is refreshed. */
function looking(checkout, ...args) {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('git', args, { cwd: checkout, env, maxBuffer: 256 * 1024 * 1024 });
}

function copy(from, to) {
  try {
    cpSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error; // deleted by somebody while we copied
  }
}

/** Machine paths and the host's name give way to neutral ones, the longest first. */
function maskOf(pairs) {
  const paths = pairs.filter(([path]) => path.length > 1);
  const host = hostname();
  return (text) => {
    let masked = text;
    for (const [path, shown] of paths) {
      masked = masked.split(`${path}/`).join(`${shown}/`);
      masked = masked.replace(new RegExp(`${path.replace(/\W/g, '\\$&')}(?![\\w.-])`, 'g'), () => shown);
    }
    return host.length > 4 ? masked.split(host).join('localhost') : masked;
  };
}
