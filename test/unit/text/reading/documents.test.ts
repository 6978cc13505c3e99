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
