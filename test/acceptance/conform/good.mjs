import { z } from 'zod';

/** A stage of a third party: removes old results. */
export const forget = {
  name: 'forget',
  summary: 'Takes results out that are no longer fresh.',
  options: z.object({ minTokens: z.number().int().min(1).default(50) }),
  plan(view, { options }) {
    const edits = view.exchanges.flatMap(({ kind, protection, unseen, messages }) => {
      if (kind !== 'step' || protection || unseen) return [];
      return messages.flatMap(({ source, replaced }) =>
        (source?.parts ?? []).flatMap((part, partIndex) => {
          const isOld =
            part.type === 'tool-result' && source.size.parts[partIndex].tokens >= options.minTokens;
          if (!isOld || replaced) return [];
          const content = [{ type: 'text', text: '[taken out]' }];
          return [{ kind: 'replace', messageId: source.id, partIndex, content, reason: 'no longer fresh' }];
        }),
      );
    });
    return { edits };
  },
};

/** A summarizer of the same party, made without arguments. */
export class Terse {
  name = 'terse';
  endpoint = 'in-process';
  async summarize({ source }, signal) {
    signal.throwIfAborted();
    return { text: `${source.length} pieces.`, finishReason: 'stop' };
  }
}

export const conform = { options: { forget: [{ minTokens: 5 }] } };
export const somethingElse = 7;
