import type { Knob } from '../api/types';

/** A change that is not saved yet. */
export type Draft =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Sets null, if the schema allows null. */
  | { readonly kind: 'empty' }
  /** Removes the operator's value, so that files and defaults apply again. */
  | { readonly kind: 'taken-back' };

/** The knob's value after the draft is saved. */
export function valueAfter({ own, before, value }: Knob, draft: Draft): unknown {
  if (draft.kind === 'value') return draft.value;
  if (draft.kind === 'empty') return null;
  return own ? before : value;
}

export function isUnchanged(knob: Knob, draft: Draft): boolean {
  if (draft.kind === 'taken-back') return !knob.own;
  return JSON.stringify(valueAfter(knob, draft)) === JSON.stringify(knob.value ?? null);
}

/** All drafts as the body of the API's request. */
export function requestOf(drafts: Readonly<Record<string, Draft>>): object {
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
