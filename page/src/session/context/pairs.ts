import type { LogEntry, ShownMessage } from '../../api/types';

/** One row of the two columns: messages of the log, and the messages that the model is sent for them, if any. */
export interface Pair {
  readonly key: string;
  readonly kind: 'same' | 'replaced' | 'superseded';
  readonly log: readonly LogEntry[];
  readonly sent: readonly ShownMessage[];
}

/** The log and the context side by side, each in its own order. A superseded span is next to its replacement. */
export function pairsOf(log: readonly LogEntry[], sent: readonly ShownMessage[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const gone = log.filter(({ status }) => status === 'superseded');
  const standing = new Map(log.map((entry) => [entry.seq, entry]));
  let next = 0;
  const goneUpTo = (seq: number): readonly LogEntry[] => {
    const from = next;
    while (next < gone.length && gone[next]!.seq <= seq) next += 1;
    return gone.slice(from, next);
  };
  const dropped = (entries: readonly LogEntry[]): void => {
    if (entries.length > 0)
      pairs.push({ key: `gone ${entries[0]!.id}`, kind: 'superseded', log: entries, sent: [] });
  };
  for (const message of sent) {
    if (message.status !== 'summary') {
      dropped(goneUpTo(message.from));
      const entry = standing.get(message.from);
      const kind = message.status === 'replaced' ? 'replaced' : 'same';
      pairs.push({ key: message.id, kind, log: entry ? [entry] : [], sent: [message] });
      continue;
    }
    dropped(goneUpTo(message.from - 1));
    const last = pairs.at(-1);
    const beside = last?.sent[0];
    if (last && beside?.status === 'summary' && beside.from === message.from && beside.to === message.to)
      pairs[pairs.length - 1] = { ...last, sent: [...last.sent, message] };
    else pairs.push({ key: message.id, kind: 'superseded', log: goneUpTo(message.to), sent: [message] });
  }
  dropped(goneUpTo(Infinity));
  return pairs;
}
