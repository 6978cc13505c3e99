import { isFields, kindOf, openaiChat, type Fields } from '../../formats/index.js';
import { Recording, type Importer } from './recording.js';

/**
 * Normalized sessions: a first line `{"kind": "meta", …}`, then one chat message per line. Message indexes do not
 * count the meta line, so message 0 is line 2. (`tools` in the meta line is a list of names, not of definitions.)
 */
export const corpus: Importer = {
  name: 'corpus',
  mark: 'line 1 is {"kind": "meta"}',
  recognises: (head) => /^\s*\{\s*"kind"\s*:\s*"meta"/.test(head),
  open: () => {
    const chat: Fields[] = [];
    const recording = new Recording('corpus');
    let meta: Fields | undefined;
    return {
      take(value, line) {
        const isMeta = isFields(value) && value.kind === 'meta';
        if (isFields(value) && !isMeta) chat.push(value);
        else if (isMeta && !meta && chat.length === 0) meta = value;
        else {
          const what = `${isMeta ? 'a second meta line' : `${kindOf(value)} is no message`}; skipped`;
          recording.noteAt(`line ${line}`)('not-a-message', what);
        }
      },
      finish() {
        // Without a meta line the file is a list of chat messages, which is another format.
        const { messages, notices } = openaiChat.parse(meta ? chat : []);
        recording.addParsed(messages, notices);
        recording.addMeta(meta ?? {});
        return recording.session();
      },
    };
  },
};
