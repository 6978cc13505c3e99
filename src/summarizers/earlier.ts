import { textOf, type ReadonlyLog, type Slot, type ViewMessage } from '../transcript/index.js';

/** A summary that a model wrote, which another one may go on from. */
interface EarlierSummary {
  readonly text: string;
  /** Last log position that it stands for. */
  readonly to: number;
  /** How many summaries lie between it and the originals. */
  readonly generation: number;
}

/**
 * The bought summary that stands at the beginning of a span, where one more generation is allowed; undefined where the
 * span is to be read from its originals.
 */
export function earlierSummary(
  slot: Slot,
  log: ReadonlyLog,
  view: readonly ViewMessage[],
  generations: number,
): EarlierSummary | undefined {
  const [from, to] = [log.find(slot.fromId)?.seq, log.find(slot.toId)?.seq];
  if (generations === 0 || from === undefined || to === undefined) return undefined;
  const found = view.find(
    (shown) =>
      shown.from === from && shown.to < to && (shown.message.generation ?? generations) < generations,
  );
  if (!found) return undefined;
  const words = found.message.parts.map(textOf).join('\n');
  // Its first line says what it is; the new one has a line of its own.
  const text = words.slice(words.indexOf('\n') + 1);
  return { text, to: found.to, generation: found.message.generation! };
}
