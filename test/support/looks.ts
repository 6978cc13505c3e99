import type { Projection, ReadonlyLog, Size, ViewMessage } from '../../src/transcript/index.js';
import { addSizes, NO_SIZE } from '../../src/transcript/index.js';
import { measure } from './bench.js';

/** The whole content of a view as plain values, for comparison. */
export function look(projection: Projection): unknown {
  return {
    view: projection.view.map((shown) => ({
      ...shown,
      source: shown.source?.seq,
      replaced: shown.replaced && [...shown.replaced],
    })),
    size: projection.size,
    resultTokens: projection.resultTokens,
  };
}

/** The sizes of a view, measured anew. */
export function remeasured(view: readonly ViewMessage[]): { size: Size; resultTokens: number } {
  let size: Size = NO_SIZE;
  let resultTokens = 0;
  for (const { message } of view) {
    const { tokens, bytes, images, parts } = measure(message);
    size = addSizes(size, { tokens, bytes, images });
    message.parts.forEach((part, i) => {
      if (part.type === 'tool-result') resultTokens += parts[i]!.tokens;
    });
  }
  return { size, resultTokens };
}

/** Exchanges of the log of which the view shows some messages and not others. */
export function splitExchanges(log: ReadonlyLog, view: readonly ViewMessage[]): readonly number[][] {
  const shown = new Set(view.flatMap(({ source }) => source?.seq ?? []));
  return log.exchanges
    .filter(({ seqs }) => seqs.some((seq) => shown.has(seq)) && !seqs.every((seq) => shown.has(seq)))
    .map(({ seqs }) => [...seqs]);
}

/** Calls and results in their order, by id and name, which no edit may change in a remaining message. */
export function frame(message: ViewMessage['message']): string[] {
  return message.parts.flatMap((part) =>
    part.type === 'tool-call'
      ? `call ${part.callId} ${part.name}`
      : part.type === 'tool-result'
        ? `result ${part.callId}`
        : [],
  );
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
