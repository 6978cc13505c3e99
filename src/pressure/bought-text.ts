import { inputOf } from '../tokens/index.js';
import type { ModelCall } from '../transcript/index.js';
import type { BoughtText } from './stream.js';

/** A call of a summarizer as figures have it. */
export function boughtText({ endpoint, model, outcome, durationMs, usage, cost }: ModelCall): BoughtText {
  return {
    endpoint,
    ...(model !== undefined && { model }),
    outcome,
    durationMs,
    ...(usage && { inputTokens: inputOf(usage), outputTokens: usage.outputTokens }),
    cost,
  };
}
