import type { ConfigFault, Origin } from './faults.js';
import { changeIn } from './faults.js';
import { isMapping, showPath, type Path } from './path.js';

/** A setting under the name and in the unit of the document that a profile is named after. */
export interface Alias {
  readonly path: Path;
  /** What it takes, for people; absent where the setting it stands for says so. */
  readonly allowed?: string;
  /** The same in our own settings; undefined where the value is none of what is allowed. */
  readonly as: (value: unknown) => Tree | undefined;
}

export type Tree = Readonly<Record<string, unknown>>;

interface Translated {
  readonly tree: unknown;
  readonly faults: readonly ConfigFault[];
}

/** A tree in our own names. What it says in them wins over what it says in a document's. */
export function translated(tree: unknown, aliases: readonly Alias[], origin: Origin): Translated {
  if (!isMapping(tree)) return { tree, faults: [] };
  const faults: ConfigFault[] = [];
  let rest: unknown = tree;
  let ours: unknown = {};
  for (const { path, allowed, as } of aliases) {
    const [found, without] = taken(rest, path);
    if (found === undefined) continue;
    const meant = as(found);
    if (meant) {
      rest = without;
      ours = joined(ours, meant);
    } else if (allowed !== undefined) {
      rest = without;
      faults.push({ subject: showPath(path), found, allowed, remedy: changeIn(origin), origin });
    }
  }
  return { tree: joined(ours, rest), faults };
}

/** The value at a path, and the tree without it and without mappings that it leaves empty. */
function taken(tree: unknown, [key, ...path]: Path): readonly [unknown, unknown] {
  if (key === undefined) return [tree, undefined];
  if (!isMapping(tree) || !Object.hasOwn(tree, key)) return [undefined, tree];
  const { [key]: inner, ...others } = tree;
  const [found, left] = taken(inner, path);
  if (found === undefined) return [undefined, tree];
  const isEmpty = left === undefined || (isMapping(left) && Object.keys(left).length === 0);
  return [found, isEmpty ? others : { ...others, [key]: left }];
}

/** Tables key by key; anything else is replaced whole. */
export function joined(under: unknown, over: unknown): unknown {
  if (!isMapping(under) || !isMapping(over)) return over === undefined ? under : over;
  const keys = Object.entries(over).map(([key, value]) => [key, joined(own(under, key), value)] as const);
  return { ...under, ...Object.fromEntries(keys) };
}

const own = (tree: Tree, key: string): unknown => (Object.hasOwn(tree, key) ? tree[key] : undefined);
