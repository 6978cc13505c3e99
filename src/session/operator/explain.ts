import type { EditMark, LogMessage, ReadonlyLog, ViewMessage } from '../../transcript/index.js';

/** What became of one message of the log in the view. */
export interface Disposition {
  readonly id: string;
  readonly seq: number;
  readonly role: string;
  readonly status: 'kept' | 'pinned' | 'replaced' | 'superseded';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Who changed it and why; absent where nothing did. */
  readonly by?: EditMark;
}

/** For every message of the log: kept, replaced, superseded or pinned, by which stage and why. Costs the whole log. */
export function explainView(
  log: ReadonlyLog,
  view: readonly ViewMessage[],
  isPinned: (message: LogMessage) => boolean,
): Disposition[] {
  const shownAt = new Map<number, ViewMessage>();
  const spans: ViewMessage[] = [];
  for (const shown of view) {
    if (shown.source) shownAt.set(shown.from, shown);
    else if (spans.at(-1)?.from !== shown.from) spans.push(shown);
  }
  let next = 0;
  return Array.from({ length: log.length }, (_, seq): Disposition => {
    const message = log.at(seq);
    const common = { id: message.id, seq, role: message.role, tokensBefore: message.size.tokens };
    const shown = shownAt.get(seq);
    if (!shown) {
      while (next + 1 < spans.length && spans[next]!.to < seq) next++;
      const span = spans[next];
      const by = span && span.from <= seq && seq <= span.to ? span.made : undefined;
      return { ...common, status: 'superseded', tokensAfter: 0, ...(by && { by }) };
    }
    const tokensAfter = shown.size.tokens;
    const mark = shown.replaced && [...shown.replaced.values()][0];
    if (mark)
      return { ...common, status: 'replaced', tokensAfter, by: { stage: mark.stage, reason: mark.reason } };
    return { ...common, status: isPinned(message) ? 'pinned' : 'kept', tokensAfter };
  });
}
