import { atOnce, type Steps } from '../../../transcript/index.js';
import { isPlaceholder } from './placeholder.js';
import type { Shape } from './shape.js';
import { SHAPES } from './shapes.js';

export interface Redacted {
  readonly text: string;
  /** Number of secrets removed. */
  readonly count: number;
  /** The secrets themselves, to find them without their context. */
  readonly secrets: readonly string[];
}

export interface Redact {
  (text: string): Redacted;
  /** The same in steps: a text of a megabyte may have a hundred thousand secrets. */
  inSteps(text: string): Steps<Redacted>;
}

type Outline = Omit<Shape, 'begins'>;

/** Secrets that are removed between two pauses. */
const SECRETS_PER_STEP = 256;
/** The replacement of a secret, which is no secret itself. */
const REMOVED = /^\[[\w ]{1,20} removed\]/;

/**
 * Replaces each secret of a text by its kind: `[API key removed]`. `extra` are the operator's patterns; each match as a
 * whole is a secret. Throws the error of `RegExp` if one of them is no pattern.
 */
export function createRedact(extra: readonly string[] = []): Redact {
  const own = extra.map((source) => new RegExp(source, 'g'));
  function* inSteps(text: string): Steps<Redacted> {
    const secrets: string[] = [];
    function* without(
      from: string,
      { kind, pattern, startOf, isSecret }: Outline,
      isOwn: boolean,
    ): Steps<string> {
      let clean = '';
      let done = 0;
      for (const match of from.matchAll(pattern)) {
        const [whole, kept = ''] = match;
        const begins = isOwn ? match.index : match.index + kept.length;
        const start = startOf?.(from, match.index, done) ?? begins;
        const end = match.index + whole.length;
        const secret = from.slice(start, end);
        if (secret === '' || REMOVED.test(secret) || (!isOwn && isPlaceholder(secret))) continue;
        if (isSecret && !isSecret(secret)) continue;
        if (secrets.push(secret) % SECRETS_PER_STEP === 0) yield;
        clean += `${from.slice(done, start)}[${kind} removed]`;
        done = end;
      }
      return done === 0 ? from : clean + from.slice(done);
    }
    let cleaned = text;
    for (const pattern of own) cleaned = yield* without(cleaned, { kind: 'secret', pattern }, true);
    let bits = yield* shapeBits(cleaned);
    for (let i = 0; bits >>> i > 0; i++) {
      if ((bits & (1 << i)) === 0) continue;
      const before = cleaned;
      cleaned = yield* without(before, SHAPES[i]!, false);
      // The rest of a wide secret may be a narrow one.
      if (cleaned !== before) bits = yield* shapeBits(cleaned);
    }
    return { text: cleaned, count: secrets.length, secrets };
  }
  return Object.assign((text: string) => atOnce(inSteps(text)), { inSteps });
}

/** The same pattern, for a test at one place. */
const sticky = SHAPES.map(({ pattern }) => new RegExp(pattern.source, pattern.flags.replace('g', 'y')));
/** Similar beginnings are adjacent, which is twice as fast; the longer first, because it includes the shorter. */
const literals = [...new Set(SHAPES.flatMap(({ begins }) => begins))].sort().reverse();
/** By literal: indexes in `SHAPES` of the shapes that may begin there. */
const shapesOf = new Map(
  literals.map((literal) => [
    literal,
    SHAPES.flatMap(({ begins }, shape) => (begins.some((begin) => literal.startsWith(begin)) ? [shape] : [])),
  ]),
);
const PREFIXES = new RegExp(
  literals.map((literal) => literal.replace(/[?.\\|+*()[\]]/g, '\\$&')).join('|'),
  'gi',
);

/** Places that are checked between two pauses. */
const CHECKS_PER_STEP = 2_048;

/**
 * The shapes of `SHAPES` in a text, one bit each, by their index. Most texts have none, so all beginnings are searched
 * at once, and a shape's pattern is tested only at its beginnings.
 */
export function* shapeBits(text: string): Steps<number> {
  let bits = 0;
  let checked = 0;
  let next = 0;
  for (;;) {
    // Another text may have been searched meanwhile.
    PREFIXES.lastIndex = next;
    const found = PREFIXES.exec(text);
    if (!found) return bits;
    const start = found.index;
    // Another secret may begin inside this one.
    next = start + 1;
    for (const shape of shapesOf.get(found[0].toLowerCase())!) {
      if ((bits & (1 << shape)) !== 0 || SHAPES[shape]!.rulesOut?.(text, start)) continue;
      const pattern = sticky[shape]!;
      pattern.lastIndex = start;
      if (pattern.test(text)) bits |= 1 << shape;
    }
    if (++checked % CHECKS_PER_STEP === 0) yield;
  }
}
