import { speechesOf, userWordsIn } from '../../../../src/text/reading/index.js';
import { isTagRow, ROWS as HOSTS } from '../../../../src/text/reading/speaker-table.js';
import { exampleOf } from './host-examples.js';
import { spoken } from './messages.js';

const ROWS = HOSTS.map((row) => {
  const example = exampleOf(row);
  return [row.host, example.row, { ...row, ...example }] as const;
});

describe('who speaks, by host', () => {
  it.each(ROWS)('%s: %s', (_host, _name, row) => {
    const speakers = speechesOf(spoken(...[row.example].flat())).map(({ speaker }) => speaker);
    expect(speakers).toContain(row.speaker);
  });

  it.each(ROWS)('%s: what looks like %s and is the user’s', (_host, _name, row) => {
    expect(speechesOf(spoken(row.counter))).toEqual([{ speaker: 'user', text: row.counter }]);
  });

  it.each(ROWS.filter(([, , row]) => row.speaker !== 'user' && !row.sections && !('frame' in row)))(
    '%s: %s lets no word of its block be the user’s',
    (_host, _name, row) => {
      const words = userWordsIn(spoken(...[row.example].flat()));
      // Words of the user around a block are part of two examples.
      expect(words.replace(/^I saw this:$|^Split the parser\.$/, '')).toBe('');
    },
  );

  it('names each tag once', () => {
    const tags = HOSTS.filter(isTagRow).map(({ tag }) => tag);
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('knows every host that has a recording or a wire format', () => {
    expect([...new Set(HOSTS.map(({ host }) => host))].sort()).toEqual(
      [
        'Claude Code',
        'Cline',
        'Codex',
        'Copilot CLI',
        'Cursor',
        'Gemini CLI',
        'LangChain',
        'OpenCode',
        'ReAct',
        'SWE-agent',
        'Spillway',
        'mini-swe-agent',
        'pi',
      ].sort(),
    );
  });
});
