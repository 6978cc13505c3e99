import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openaiChat } from '../../../src/wire/index.js';
import { readSession } from '../../../src/importers/index.js';
import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { gists } from '../wire/gist.js';
import { CORPUS, hasCorpus, originals } from '../wire/views.js';

/** Folder of raw files and the format they are told for; `without`: leading messages that only the normalized form has. */
const FOLDERS: readonly (readonly [folder: string, format: string, without?: number])[] = [
  ['opencode', 'opencode'],
  ['pi', 'pi'],
  ['mini-swe-agent', 'mini-swe-agent'],
  ['tau-bench', 'tau-bench'],
  // One simulation; its policy stands in the result file that it was taken from.
  ['tau2-bench', 'tau2-bench', 1],
  ['livemcpbench', 'livemcpbench'],
];

const FILES = FOLDERS.flatMap(([folder, format, without = 0]) => {
  const path = `${CORPUS}/raw/${folder}`;
  return (hasCorpus && existsSync(path) ? readdirSync(path) : []).map((name) => ({
    folder,
    name,
    format,
    without,
  }));
});

(hasCorpus ? describe : describe.skip)('raw recordings', () => {
  it.each(FILES)(
    '$folder/$name agrees with its normalized form',
    async ({ folder, name, format, without }) => {
      const raw = await readSession(`${CORPUS}/raw/${folder}/${name}`);
      const id = name.replace(/(\.traj)?\.jsonl?$/, '');
      const normalized = await readSession(`${CORPUS}/sessions/${id}.jsonl`);
      expect(raw.format).toBe(format);
      expect(raw.how.startsWith(`${format}: `)).toBe(true);
      expect(gists(raw.parsed.messages)).toEqual(gists(normalized.parsed.messages.slice(without)));
      if (raw.parsed.model !== undefined) expect(raw.parsed.model).toBe(normalized.meta!.model);
      if (raw.meta?.compaction_at) expect(raw.meta.compaction_at).toEqual(normalized.meta!.compaction_at);
      expect(validateOpenAiChat(openaiChat.serialise(originals(raw.parsed.messages)).messages)).toEqual([]);
    },
  );
});
