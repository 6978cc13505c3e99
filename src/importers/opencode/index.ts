import type { Notice } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { listIn, notASession } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { isEntry, type Entry } from './entry.js';
import { assistantMessages } from './steps.js';
import { userMessages } from './user.js';

/**
 * What `opencode export` writes: a session's info and its messages, each with its parts. Results that OpenCode itself
 * had pruned for the model are whole here. The system prompt is not in the file.
 */
export const openCode: WholeImporter = {
  name: 'opencode',
  mark: 'it holds `info` and messages with `parts`, as `opencode export` writes them',
  fits: (value) =>
    isFields(value) && isFields(value.info) && Array.isArray(value.messages) && value.messages.some(isEntry),
  read: (value) => {
    const list = listIn('opencode', value, 'messages');
    const { info: given } = value as Fields;
    const info = isFields(given) ? given : {};
    const notices: Notice[] = [];
    const entries = list.filter(isEntry);
    if (entries.length < list.length) {
      const what = `${list.length - entries.length} entries are no messages; left out`;
      notices.push({ at: 'file', kind: 'not-a-message', what });
    }
    const messages = entries.flatMap((entry, index): Message[] => {
      const id =
        typeof entry.info.id === 'string' && entry.info.id !== 'REDACTED' ? entry.info.id : `m${index}`;
      const note = (kind: string, what: string) => void notices.push({ at: id, kind, what });
      return entry.info.role === 'user' ? userMessages(entry, id, note) : assistantMessages(entry, id, note);
    });
    if (messages.length === 0)
      throw notASession(
        'opencode',
        'no message that says anything',
        'user and assistant messages',
        'Export the session again.',
      );
    const model = modelOf(entries);
    return {
      parsed: { messages: distinct(messages), notices, ...(model !== undefined && { model }) },
      meta: { id: info.id, model, agent_version: info.version },
    };
  },
};

function modelOf(entries: readonly Entry[]): string | undefined {
  const models = entries.map(({ info }) => info.modelID);
  return models.find((model): model is string => typeof model === 'string');
}

/** Published exports may have ids blacked out, several to the same word. */
function distinct(messages: readonly Message[]): Message[] {
  const taken = new Set<string>();
  return messages.map((message) => {
    let { id } = message;
    while (taken.has(id)) id += '+';
    taken.add(id);
    return id === message.id ? message : { ...message, id };
  });
}
