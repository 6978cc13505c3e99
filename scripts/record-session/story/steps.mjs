/** Functions that make the steps of a story. */
import { readFileSync } from 'node:fs';

export const system = (content) => ({ role: 'system', content });
export const user = (content) => ({ role: 'user', content });
export const assistant = (content, ...calls) => ({ role: 'assistant', content, calls });

const call = (tool, args) => ({ tool, args, ok: true, shows: [] });

export const read = (path, from, lines) =>
  call('read_file', from === undefined ? { path } : { path, from, lines });
export const search = (pattern, path = 'src') => call('search', { pattern, path });
export const list = (path, depth = 1) => call('list_files', { path, depth });
export const run = (command) => call('run_command', { command });
export const edit = (path, old, text) => call('edit_file', { path, old, new: text });

/** A new file whose text is in `files/`. */
export const create = (path, file) => edit(path, '', text(file));
export const text = (file) => readFileSync(new URL(`../files/${file}`, import.meta.url), 'utf8');

/** The call ends in an error, and the story goes on from there. */
export const failing = (made) => ({ ...made, ok: false });
/** The agent's next message is true only if the result contains these texts. */
export const showing = (made, ...shows) => ({ ...made, shows });
