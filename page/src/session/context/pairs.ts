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
  const superseded = log.filter(({ status }) => status === 'superseded');
  const bySeq = new Map(log.map((entry) => [entry.seq, entry]));
  let next = 0;
  const supersededUpTo = (seq: number): readonly LogEntry[] => {
    const from = next;
    while (next < superseded.length && superseded[next]!.seq <= seq) next += 1;
    return superseded.slice(from, next);
  };
  const addDropped = (entries: readonly LogEntry[]): void => {
    if (entries.length > 0)
      pairs.push({ key: `gone ${entries[0]!.id}`, kind: 'superseded', log: entries, sent: [] });
  };
  for (const message of sent) {
    if (message.status !== 'summary') {
      addDropped(supersededUpTo(message.from));
      const entry = bySeq.get(message.from);
      const kind = message.status === 'replaced' ? 'replaced' : 'same';
      pairs.push({ key: message.id, kind, log: entry ? [entry] : [], sent: [message] });
      continue;
    }
    addDropped(supersededUpTo(message.from - 1));
    const last = pairs.at(-1);
    const previous = last?.sent[0];
    if (
      last &&
      previous?.status === 'summary' &&
      previous.from === message.from &&
      previous.to === message.to
    )
      pairs[pairs.length - 1] = { ...last, sent: [...last.sent, message] };
    else
      pairs.push({ key: message.id, kind: 'superseded', log: supersededUpTo(message.to), sent: [message] });
  }
  addDropped(supersededUpTo(Infinity));
  return pairs;
}
