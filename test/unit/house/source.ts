import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Import {
  /** The importing file, below src: `spi/stage.ts`. */
  readonly from: string;
  /** The imported file below src, or the package's name. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Gone after compilation. */
  readonly typeOnly: boolean;
}

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** All files below a folder with one of the endings, as paths below that folder, with forward slashes. */
export function filesBelow(folder: string, ending: RegExp): string[] {
  if (!exists(folder)) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(join(ROOT, folder).length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

export const sourceFiles = (): string[] => filesBelow('src', /\.tsx?$/);

/** Anchored at line starts, so that an import inside a template or a comment's prose is none. */
const STATIC = /^(?:import|export)\b(?!\s*\()([^'";]*?\bfrom\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;

export function importsOf(from: string): Import[] {
  const text = withoutComments(read(`src/${from}`));
  const statics = [...text.matchAll(STATIC)].map(([, clause = '', path]) =>
    toImport(from, path!, isTypeOnly(clause)),
  );
  const dynamics = [...text.matchAll(DYNAMIC)].map(([, path]) => toImport(from, path!, false));
  return [...statics, ...dynamics];
}

function toImport(from: string, path: string, typeOnly: boolean): Import {
  if (!path.startsWith('.')) return { from, to: packageName(path), isPackage: true, typeOnly };
  const js = posix.normalize(posix.join(posix.dirname(from), path));
  return {
    from,
    to: js.replace(/\.js$/, exists(`src/${js}x`.replace('.jsx', '.tsx')) ? '.tsx' : '.ts'),
    isPackage: false,
    typeOnly,
  };
}

/** `import type { A }`, or `import { type A, type B }`. */
function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b(?!\s*,)/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}/
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith('type '));
}

function packageName(path: string): string {
  if (path.startsWith('node:')) return path;
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

export function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
}

const STAR = /^export \*\s+from\s+'([^']+)'/gm;
const NAMED = /^export (?:type )?\{([^}]*)\}/gm;
const DECLARED =
  /^export (?:declare )?(?:abstract |async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

/** Every name that a module exports, types too, followed through `export *`. */
export function exportsOf(file: string, seen: Set<string> = new Set()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = withoutComments(read(file));
  const stars = [...text.matchAll(STAR)].flatMap(([, path]) =>
    exportsOf(posix.join(dirname(file), path!.replace(/\.js$/, '.ts')), seen),
  );
  const named = [...text.matchAll(NAMED)].flatMap(([, names]) =>
    names!
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
      .filter(Boolean),
  );
  const declared = [...text.matchAll(DECLARED)].map(([, name]) => name!);
  return [...new Set([...stars, ...named, ...declared])].sort();
}
