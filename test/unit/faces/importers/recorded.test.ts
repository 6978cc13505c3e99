import { existsSync, readdirSync } from 'node:fs';
import { openaiChat } from '../../../../src/formats/index.js';
import { readSession } from '../../../../src/faces/importers/index.js';
import { validateOpenAiChat } from '../../../../src/testkit/index.js';
import { agreement } from '../../formats/agreement.js';
import { gists } from '../../formats/gist.js';
import { CORPUS, hasCorpus, originals } from '../../formats/views.js';

/** Folders of raw files, each named by its format. */
const FILES = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'pi'].flatMap((format) => {
  const path = `${CORPUS}/raw/${format}`;
  return (hasCorpus && existsSync(path) ? readdirSync(path) : []).map((name) => ({ name, format }));
});

/** Their normalized forms keep the ids of calls. */
const SAME_IDS = new Set(['codex', 'gemini-cli']);

(hasCorpus ? describe : describe.skip)('raw recordings', () => {
  it.each(FILES)('$format/$name agrees with its normalized form', async ({ name, format }) => {
    const raw = await readSession(`${CORPUS}/raw/${format}/${name}`);
    const id = name.replace(/(\.traj)?\.jsonl?$/, '');
    const normalized = await readSession(`${CORPUS}/sessions/${id}.jsonl`);
    expect(raw.format).toBe(format);
    expect(raw.how.startsWith(`${format}: `)).toBe(true);
    const gist = SAME_IDS.has(format) ? agreement : gists;
    expect(gist(raw.parsed.messages)).toEqual(gist(normalized.parsed.messages));
    if (raw.parsed.model !== undefined) expect(raw.parsed.model).toBe(normalized.meta!.model);
    if (raw.meta?.compaction_at) expect(raw.meta.compaction_at).toEqual(normalized.meta!.compaction_at);
    expect(validateOpenAiChat(openaiChat.serialise(originals(raw.parsed.messages)).messages)).toEqual([]);
  });
});
