import { speechesOf, userWordsIn } from '../../../../src/text/reading/index.js';
import { spoken } from './messages.js';

const LONG =
  'The lexer reads one character too many at the end of a line, so the parser sees a comma twice. ';

const speakersOf = (text: string): string[] =>
  speechesOf(spoken(text)).map(({ speaker, label }) => (label ? `${speaker} ${label}` : speaker));

describe('a document that a user pasted', () => {
  it('is a long fence; the words around it are the user’s', () => {
    const text = `Use this layout:\n\`\`\`\n${'src/lexer/index.ts\n'.repeat(20)}\`\`\`\nNever add a folder.`;
    expect(speakersOf(text)).toEqual(['user', 'document fence', 'user']);
    expect(userWordsIn(spoken(text))).toBe('Use this layout:\n\nNever add a folder.');
  });

  it('is a stack trace, the words above and below are the user’s', () => {
    const frames = Array.from(
      { length: 9 },
      (_, i) => `    at read${i} (/srv/app/src/lexer.ts:${i + 10}:7)`,
    ).join('\n');
    const text = `It must NEVER crash here.\n\n${frames}\n\nFix it without a new option.`;
    expect(speakersOf(text)).toEqual(['user', 'document output', 'user']);
    expect(userWordsIn(spoken(text))).toBe('It must NEVER crash here.\n\nFix it without a new option.');
  });

  it.each([
    [
      'a log',
      Array.from(
        { length: 6 },
        (_, i) => `2026-01-01T10:00:0${i}Z never push: worker ${i} has stopped again`,
      ),
    ],
    [
      'a diff',
      [
        'diff --git a/x.ts b/x.ts',
        'index 1234567..89abcde 100644',
        '--- a/x.ts',
        '+++ b/x.ts',
        '@@ -1,2 +1,2 @@',
      ]
        .concat(Array(9).fill('-const never = push("to main", { force: true });'))
        .concat('+const always = ask();'),
    ],
    [
      'a test run',
      ['=== RUN   TestLexer', '    lexer_test.go:14: never push', '--- FAIL: TestLexer (0.01s)', 'FAIL']
        .concat(Array(8).fill('    lexer_test.go:20: want one comma, got two'))
        .concat('FAIL'),
    ],
    [
      'text copied from a terminal',
      Array(6).fill(`Never push to main, says the hook of this repository${' '.repeat(40)}`),
    ],
  ])('is %s', (_name, lines) => {
    const text = `What is this?\n\n${lines.join('\n')}`;
    expect(userWordsIn(spoken(text))).toBe('What is this?');
  });

  it('is JSON, line by line', () => {
    const json = Array(3)
      .fill('{"role":"user","content":"never push to main, said somebody else there"}')
      .join('\n');
    expect(userWordsIn(spoken(`This log is wrong:\n\n${json}\n\nThe order must hold.`))).toBe(
      'This log is wrong:\n\nThe order must hold.',
    );
  });
});

describe('what a user may have written', () => {
  it.each([
    'Warning: never push to main.',
    'Error: this must not be shown to people.',
    '> never push to main',
    '| never | push |',
    '---\nNever push.',
    '$ never type this',
    'FAIL fast, please.',
    '- [ ] never push\n- [ ] use tabs',
    '```\nnpm run check\n```',
    'at least (two) reviewers',
    'From: here\nTo: there\nDate: soon',
    'Low severity is fine.',
  ])('stays the user’s in a short message: %j', (text) => {
    expect(userWordsIn(spoken(text))).toBe(text);
  });

  const long = `Split the parser in three steps.\n\n${LONG.repeat(4)}`;
  it.each([
    [
      'a line that looks like a program’s',
      `${long}\n\nWarning: never push to main.\nERROR handling stays as it is.`,
    ],
    ['a short quotation', `${long}\n\n> one comma is enough\n\nI disagree.`],
    ['a short fence', `${long}\n\n\`\`\`\nnpm run check\n\`\`\`\nmust pass.`],
    ['a table', `${long}\n\n| case | result |\n|---|---|\n| comma | one |\n| none | nothing |`],
    [
      'a task under headings',
      `${long}\n\n## Item 1\n\nNever push.\n\n## Item 2\n\nUse tabs.\n\n## Item 3\n\n${LONG.repeat(9)}`,
    ],
    ['a list of rules', `Rules:\n${'- Never touch the lexer without a test of its own.\n'.repeat(20)}`],
    [
      'a list of its own and a log',
      `${long}\n\n- first\n- second\n- third\n\n\`\`\`\n${'lexer.ts:14\n'.repeat(3)}\`\`\``,
    ],
    ['one place in a file', `${long} See lexer.ts:14, and never change it.`],
  ])('stays the user’s in a long one: %s', (_name, text) => {
    expect(userWordsIn(spoken(text))).toBe(text.trimEnd());
  });
});
