import type { Knob } from '../api/types';

/** A change that is not saved yet. */
export type Draft =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Nothing at all, where the schema has it. */
  | { readonly kind: 'empty' }
  /** What would hold without an operator. */
  | { readonly kind: 'taken-back' };

/** What the knob would be. */
export function valueAfter({ own, before, value }: Knob, draft: Draft): unknown {
  if (draft.kind === 'value') return draft.value;
  if (draft.kind === 'empty') return null;
  return own ? before : value;
}

export function isAsItWas(knob: Knob, draft: Draft): boolean {
  if (draft.kind === 'taken-back') return !knob.own;
  return JSON.stringify(valueAfter(knob, draft)) === JSON.stringify(knob.value ?? null);
}

/** All of them, as the API takes them. */
export function askedOf(drafts: Readonly<Record<string, Draft>>): object {
  const entries = Object.entries(drafts);
  return {
    changes: Object.fromEntries(
      entries.flatMap(([path, draft]) =>
        draft.kind === 'empty' ? [] : [[path, draft.kind === 'value' ? draft.value : null]],
      ),
    ),
    empty: entries.flatMap(([path, { kind }]) => (kind === 'empty' ? [path] : [])),
  };
}
