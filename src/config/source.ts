import { readFile } from 'node:fs/promises';
import { SpillwayError } from '../errors/index.js';
import { changeIn, type ConfigFault, type Origin } from './faults.js';
import { isMapping } from './path.js';

/** A configuration file as a tree, with the profile that it builds on. */
export interface Source {
  readonly tree: unknown;
  readonly extends?: string;
  readonly faults: readonly ConfigFault[];
}

/** Reads a file; undefined where there is none. Throws `INPUT_UNREADABLE` where it is there and cannot be read. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const remedy = 'Name a configuration file that this user may read.';
    throw new SpillwayError('INPUT_UNREADABLE', { subject: path, found: code, remedy, cause });
  }
}

/** YAML (JSON is part of it) as a tree. Every syntax error is a fault with line and column. */
export async function parseSource(text: string, origin: Origin): Promise<Source> {
  // A profile of comments alone, as `staged` is, does not cost the 35 ms that the YAML parser takes to load.
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return { tree: {}, faults: [] };
  const { parseDocument, LineCounter } = await import('./yaml.js');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    const faults = wrong.map((error) => {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      return syntaxFault(`${origin.replace(/^\S+ /, '')}:${line}:${col}`, error.message, origin);
    });
    return { tree: {}, faults };
  }
  let tree: unknown;
  try {
    tree = document.toJS();
  } catch (error) {
    // Aliases that unfold into more than a hundred copies of a node.
    const faults = [syntaxFault(origin.replace(/^\S+ /, ''), (error as Error).message, origin)];
    return { tree: {}, faults };
  }
  return tree === null ? { tree: {}, faults: [] } : withoutExtends(tree, origin);
}

function withoutExtends(tree: unknown, origin: Origin): Source {
  if (!isMapping(tree) || !Object.hasOwn(tree, 'extends')) return { tree, faults: [] };
  const { extends: base, ...rest } = tree;
  if (typeof base === 'string' && base !== '') return { tree: rest, extends: base, faults: [] };
  const allowed = 'the name of a profile, or the path of one from this file';
  return {
    tree: rest,
    faults: [{ subject: 'extends', found: base, allowed, remedy: changeIn(origin), origin }],
  };
}

function syntaxFault(subject: string, message: string, origin: Origin): ConfigFault {
  return { subject, found: message, allowed: 'YAML', remedy: 'Mend the file at this place.', origin };
}
