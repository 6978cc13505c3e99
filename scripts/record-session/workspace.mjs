/** A throw-away copy of the checkout, and the neutral names that a recording uses for it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The working folder that the agent sees. */
export const SHOWN_FOLDER = '/workspace/spillway';

/** The copied files: the product's own. Without the recorder and its output, which the agent's searches would find. */
const COPIED = /^(src|test|config)\/|^[^/]+\.(json|ts)$|^\.(gitignore|prettierignore|prettierrc\.json)$/;

/** Copies the files of a commit, or of the working tree if no commit is given. The checkout itself is only read. */
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
    NODE_NO_WARNINGS: '1', // warnings contain process ids
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

/** Runs a read-only Git command, which does not even refresh the index. */
function looking(checkout, ...args) {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('git', args, { cwd: checkout, env, maxBuffer: 256 * 1024 * 1024 });
}

function copy(from, to) {
  try {
    cpSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error; // deleted during the copy
  }
}

/** Replaces machine paths and the host's name by neutral names, the longest first. */
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
