import { allowed } from './allowed.js';
import { changeIn, unknownKeyFault, type ConfigFault, type Origin } from './faults.js';
import { nearest } from './nearest.js';
import { isMapping, isPrototypeKey, showPath, type Path } from './path.js';
import type { Section, Shape } from './shape.js';

/** One value that a layer sets. A container only says that its section or table is there. */
export interface Assignment {
  readonly path: Path;
  readonly value: unknown;
  readonly origin: Origin;
  readonly container: boolean;
}

/** What one source sets, by shown path; with what is wrong in it. */
export class Layer {
  readonly assignments = new Map<string, Assignment>();
  readonly faults: ConfigFault[] = [];

  constructor(private readonly root: Section) {}

  /** Takes a tree in. Unknown keys become faults and go no further, so that no key is reported twice. */
  add(value: unknown, origin: Origin, shape: Shape = this.root, path: Path = []): this {
    if (value === undefined) return this;
    if (shape.kind === 'leaf') {
      if (!this.refusePrototypeKeys(value, origin, path)) this.assign(path, value, origin, false);
      return this;
    }
    // `thresholds:` with nothing but comments below it sets nothing.
    if (value === null) return this;
    if (!isMapping(value)) {
      this.fault(path, value, allowed(shape.json), changeIn(origin), origin);
      return this;
    }
    this.assign(path, {}, origin, true);
    for (const key of Object.keys(value)) this.addKey(key, value[key], origin, shape, path);
    return this;
  }

  private addKey(
    key: string,
    value: unknown,
    origin: Origin,
    shape: Exclude<Shape, { kind: 'leaf' }>,
    path: Path,
  ) {
    const child = shape.kind === 'table' ? shape.entry : shape.keys.get(key);
    const here = [...path, key];
    if (isPrototypeKey(key)) {
      this.fault(here, undefined, 'any other name', `Rename it. ${changeIn(origin)}`, origin);
    } else if (child) {
      this.add(value, origin, child, here);
    } else if (shape.kind === 'section' && shape.open) {
      if (!this.refusePrototypeKeys(value, origin, here)) this.assign(here, value, origin, false);
    } else if (shape.kind === 'section') {
      const meant = this.suggest(key, shape, path);
      this.faults.push(unknownKeyFault({ path: here, value, keys: [...shape.keys.keys()], meant, origin }));
    }
  }

  /** The nearest key beside it, else the nearest anywhere: `snipThreshold` at the top is `thresholds.snipThreshold`. */
  private suggest(key: string, section: Section, path: Path): string | undefined {
    const beside = nearest(key, section.keys.keys());
    if (beside !== undefined) return showPath([...path, beside]);
    const everywhere = new Map<string, Path>();
    collectKeys(this.root, [], everywhere);
    const found = everywhere.get(nearest(key, everywhere.keys()) ?? '');
    return found && showPath(found);
  }

  /** Settings that are lists or free mappings are not walked key by key, so their insides are looked at here. */
  private refusePrototypeKeys(
    value: unknown,
    origin: Origin,
    path: Path,
    seen = new Set<unknown>(),
  ): boolean {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    let refused = false;
    for (const key of Object.keys(value)) {
      const here = [...path, Array.isArray(value) ? Number(key) : key];
      if (isPrototypeKey(key)) {
        this.fault(here, undefined, 'any other name', `Rename it. ${changeIn(origin)}`, origin);
        refused = true;
      } else if (this.refusePrototypeKeys((value as Record<string, unknown>)[key], origin, here, seen)) {
        refused = true;
      }
    }
    return refused;
  }

  private assign(path: Path, value: unknown, origin: Origin, container: boolean): void {
    if (path.length > 0) this.assignments.set(showPath(path), { path, value, origin, container });
  }

  private fault(path: Path, found: unknown, allowedText: string, remedy: string, origin: Origin): void {
    this.faults.push({
      subject: showPath(path) || 'the whole file',
      // A file that is no mapping may be any file: it is not shown to who reads the error.
      found: path.length > 0 ? found : kindOf(found),
      allowed: allowedText,
      remedy,
      origin,
    });
  }
}

/** The layer below all others: what the schemas say. */
export function defaultLayer(root: Section): Layer {
  const layer = new Layer(root);
  return layer.add(initialValue(root), 'default');
}

function initialValue(shape: Shape): unknown {
  if (shape.kind !== 'section') return shape.initial;
  if (!shape.present) return undefined;
  return Object.fromEntries([...shape.keys].map(([key, child]) => [key, initialValue(child)]));
}

function collectKeys(shape: Shape, path: Path, keys: Map<string, Path>): void {
  if (shape.kind !== 'section') return;
  for (const [key, child] of shape.keys) {
    const here = [...path, key];
    if (!keys.has(key)) keys.set(key, here);
    collectKeys(child, here, keys);
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'string' ? `a text of ${value.length} characters` : `a ${typeof value}`;
}
