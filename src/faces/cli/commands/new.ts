import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { packageFolder } from '../../../package-folder.js';
import { BUILT_IN_STAGES } from '../../../stages/index.js';
import { makeFolder, PROMPT_FILES, writePrompts } from '../../../summarizers/index.js';
import { EXIT, type Terminal } from '../terminal.js';

/** The kinds of skeletons, each with the name that its template uses. */
const SKELETONS = { stage: 'my-stage', plugin: 'my-plugin' } as const;

export type SkeletonKind = keyof typeof SKELETONS;
export const SKELETON_KINDS = Object.keys(SKELETONS) as SkeletonKind[];

/** Writes a working package to start from: all files, or none if any of them exists already. */
export async function writeSkeleton(
  kind: string,
  name: string,
  { folder }: { readonly folder?: string },
  terminal: Terminal,
  version: string,
): Promise<number> {
  checkKind(kind);
  checkName(name);
  const from = join(packageFolder(), 'templates', kind);
  const to = folder ?? name;
  const files = await filesIn(from);
  const existing = files.filter((file) => existsSync(join(to, file)));
  if (existing.length > 0)
    throw new SpillwayError('OUTPUT_UNWRITABLE', {
      subject: to,
      found: `${existing.join(', ')} is there already`,
      remedy: 'Nothing was written. Name another folder with --folder, or another name.',
    });
  const created: string[] = [];
  try {
    for (const file of files) {
      const path = join(to, file);
      await mkdir(dirname(path), { recursive: true });
      const text = await readFile(join(from, file), 'utf8');
      await writeFile(path, '', { flag: 'wx' });
      created.push(path);
      await writeFile(path, renamed(text, SKELETONS[kind], name, version));
    }
  } catch (cause) {
    // For example, the disk was full. The files are removed, so that the next try does not stop at them.
    await Promise.allSettled(created.map((path) => rm(path)));
    throw unwritable(to, cause);
  }
  for (const path of created) terminal.out(`written ${path}\n`);
  terminal.note(`cd ${to} && ${findsSpillway(resolve(to)) ? '' : 'npm install && '}npm test`);
  return EXIT.done;
}

/** Whether a package in that folder finds `spillway` already, in a project above it. */
function findsSpillway(folder: string): boolean {
  const above = dirname(folder);
  if (existsSync(join(folder, 'node_modules', 'spillway', 'package.json'))) return true;
  return above !== folder && findsSpillway(above);
}

function checkKind(kind: string): asserts kind is SkeletonKind {
  if (SKELETON_KINDS.includes(kind as SkeletonKind)) return;
  throw new SpillwayError('ARGUMENT_INVALID', {
    subject: 'spillway new',
    found: kind,
    allowed: SKELETON_KINDS.join(', '),
    remedy: 'Name what is to be written, then its name: spillway new stage tidy-logs.',
  });
}

/** A name that npm, the roster and the rules of the contract accept. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_LETTERS = 100;

function checkName(name: string): void {
  const isTaken = BUILT_IN_STAGES.some((stage) => stage.name === name) || name === 'spillway';
  if (NAME.test(name) && name.length <= MAX_LETTERS && !isTaken) return;
  throw new SpillwayError('ARGUMENT_INVALID', {
    subject: 'spillway new',
    found: isTaken ? `${name}, which Spillway has already` : name,
    allowed: `small letters, digits and single dashes, at most ${MAX_LETTERS}`,
    remedy: 'The name is that of the package and of the roster entry: tidy-logs.',
  });
}

/** Renames a template. A template itself works under its own name. */
function renamed(text: string, own: string, name: string, version: string): string {
  return text
    .replaceAll(own, () => name)
    .replaceAll(camelCase(own), () => exportName(name, own))
    .replaceAll('"spillway": "^0.1.0"', () => `"spillway": "^${version}"`);
}

/** The name ends with its kind, because `default` and `new` may name a stage but not an export. */
function exportName(name: string, own: string): string {
  const kind = own.slice(own.indexOf('-'));
  return camelCase(name.endsWith(kind) ? name : `${name}${kind}`);
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

const CONFIG = 'spillway.yaml';

/** Writes the configuration and prompts for an operator to edit. Existing files are never overwritten. */
export async function init(folder: string, _: object, terminal: Terminal): Promise<number> {
  const ownFolder = join(packageFolder(), 'config');
  const prompts = join(folder, 'prompts');
  const all = [join(folder, CONFIG), ...PROMPT_FILES.map((name) => join(prompts, `${name}.md`))];
  try {
    makeFolder(folder);
    const written = new Set([
      ...(await writeConfig(join(ownFolder, 'init.yaml'), all[0]!)),
      ...(await writePrompts(join(ownFolder, 'prompts'), prompts)),
    ]);
    for (const file of all) terminal.out(`${written.has(file) ? 'written' : 'kept   '} ${file}\n`);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  terminal.note(`spillway config print --config ${all[0]} shows what is in force.`);
  return EXIT.done;
}

async function writeConfig(from: string, to: string): Promise<string[]> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return [to];
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return [];
    throw error;
  }
}

const unwritable = (folder: string, cause: unknown): SpillwayError =>
  new SpillwayError('OUTPUT_UNWRITABLE', {
    subject: folder,
    found: (cause as Error).message,
    remedy: 'Name a writable folder. Existing files were not changed.',
    cause,
  });
