import type { Summarizer } from '../../../src/index.js';

/** A summarizer that answers at once, and counts how often it was asked. */
const TEXT = 'Written by the summarizer: the user asked about the river, and was answered.';

export function defineSummarizer(): { readonly summarizer: Summarizer; readonly asked: { count: number } } {
  const asked = { count: 0 };
  const summarizer: Summarizer = {
    name: 'ours',
    endpoint: 'here',
    summarize: async () => {
      asked.count++;
      return { text: TEXT, finishReason: 'stop' };
    },
  };
  return { summarizer, asked };
}
