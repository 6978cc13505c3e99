import { describe, expect, it } from '@jest/globals';
import { gemini, openaiResponses } from '../../../src/formats/index.js';
import { readSession } from '../../../src/faces/importers/index.js';
import type { WireFormat } from '../../../src/spi/index.js';
import { validators } from '../../../src/testkit/index.js';
import { CORPUS, hasCorpus, originals, sessions } from './views.js';

const FORMATS: readonly WireFormat[] = [openaiResponses, gemini];

(hasCorpus ? describe : describe.skip)('every recorded session, on the wires of Responses and Gemini', () => {
  it.each(hasCorpus ? sessions : ['none'])('%s is legal, and comes back from its own bytes', async (name) => {
    const { parsed } = await readSession(`${CORPUS}/sessions/${name}`);
    for (const format of FORMATS) {
      const sent = (messages: Parameters<WireFormat['serialise']>[0]) => {
        const { messages: list, beside } = format.serialise(messages);
        return JSON.parse(JSON.stringify({ [format.messagesField]: list, ...beside })) as Record<
          string,
          unknown
        >;
      };
      const body = sent(originals(parsed.messages));
      expect(validators.get(format.name)!(body)).toEqual([]);
      const again = sent(originals(format.parse(body).messages));
      expect(JSON.stringify(again) === JSON.stringify(body)).toBe(true);
    }
  });
});
