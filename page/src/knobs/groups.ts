import type { Knob } from '../api/types';
import { keysOf } from './keys';

export interface Group {
  readonly name: string;
  readonly title: string;
  readonly knobs: readonly Knob[];
}

const GENERAL = 'general';

/** Settings by their section; each stage and each plugin is a group of its own. */
export function groupsOf(knobs: readonly Knob[]): readonly Group[] {
  const groups = new Map<string, Knob[]>();
  for (const knob of knobs) {
    const name = groupOf(knob.path);
    const found = groups.get(name);
    if (found) found.push(knob);
    else groups.set(name, [knob]);
  }
  return [...groups].map(([name, of]) => ({ name, title: titleOf(name), knobs: of })).toSorted(byPlace);
}

function groupOf(path: string): string {
  const keys = keysOf(path);
  if (keys.length === 1) return GENERAL;
  return keys[0] === 'stages' || keys[0] === 'knobs' ? `${keys[0]}.${keys[1]}` : keys[0]!;
}

function titleOf(name: string): string {
  const [kind, of] = name.split('.');
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (of === undefined) return `${words[0]!.toUpperCase()}${words.slice(1)}`;
  return kind === 'knobs' ? `Plugin ${of}` : `Stage ${of}`;
}

/** The groups that operators use most. The others follow in the order of the settings; stages and plugins are last. */
const FIRST = ['thresholds', 'compaction', GENERAL];
function byPlace(a: Group, b: Group): number {
  return placeOf(a.name) - placeOf(b.name);
}
function placeOf(name: string): number {
  const place = FIRST.indexOf(name);
  if (place >= 0) return place;
  if (name.startsWith('stages.')) return 100;
  return name.startsWith('knobs.') ? 101 : 50;
}

/** The knob's name within its group. */
export function nameIn({ name }: Group, path: string): string {
  return name === GENERAL ? path : path.slice(name.length + 1);
}
