import { SpillwayError } from '../../errors/index.js';
import type { Notice } from '../../spi/index.js';
import { isFields, kindOf, openaiChat, type Fields } from '../../formats/index.js';
import type { ImportedSession, LineImporter, SessionReader } from './recording.js';

/**
 * Normalized sessions: a first line `{"kind": "meta", …}`, then one chat message per line. Message indexes do not
 * count the meta line, so message 0 is line 2. (`tools` in the meta line is a list of names, not of definitions.)
 */
export const corpus: LineImporter = {
  name: 'corpus',
  mark: 'line 1 is {"kind": "meta"}',
  ofChat: true,
  recognises: (head) => /^\s*\{\s*"kind"\s*:\s*"meta"/.test(head),
  open: () => new CorpusReader(),
};

class CorpusReader implements SessionReader {
  readonly #messages: Fields[] = [];
  readonly #notices: Notice[] = [];
  #meta: Fields | undefined;

  take(value: unknown, line: number): void {
    const isMeta = isFields(value) && value.kind === 'meta';
    if (isFields(value) && !isMeta) this.#messages.push(value);
    else if (isMeta && !this.#meta && this.#messages.length === 0) this.#meta = value;
    else {
      const what = isMeta ? 'a second meta line' : `${kindOf(value)} is no message`;
      this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: `${what}; skipped` });
    }
  }

  finish(): ImportedSession {
    const meta = this.#meta;
    if (!meta)
      throw new SpillwayError('INPUT_FORMAT', {
        subject: 'corpus: the first line',
        allowed: 'an object with "kind": "meta"',
        remedy: 'Name the format openai-chat for a file of bare chat messages.',
      });
    const parsed = openaiChat.parse(this.#messages);
    const model = typeof meta.model === 'string' ? { model: meta.model } : {};
    return { parsed: { ...parsed, ...model, notices: [...this.#notices, ...parsed.notices] }, meta };
  }
}
