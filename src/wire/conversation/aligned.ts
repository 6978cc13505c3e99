import type { Part, ViewMessage } from '../../transcript/index.js';

/** A part of the log's message, and what stands in its place in the view: itself, where nothing replaced it. */
export interface Aligned {
  readonly source: Part;
  readonly shown: readonly Part[];
  readonly replaced: boolean;
}

/** A view message's parts by the part of the log that each speaks for; all untouched where nothing was replaced. */
export function alignedParts({ message, source, replaced }: ViewMessage): readonly Aligned[] {
  let at = 0;
  return (source ?? message).parts.map((original, index) => {
    const length = replaced?.get(index)?.length ?? 1;
    const shown = message.parts.slice(at, at + length);
    at += length;
    return { source: original, shown, replaced: replaced?.has(index) ?? false };
  });
}
