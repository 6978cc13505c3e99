import { parseArguments } from '../../../../src/text/facts/index.js';
import { commandLineOf, readsAsProse, textInCommand } from '../../../../src/text/reading/written.js';

describe('texts that a command line hands over', () => {
  it.each([
    ['git commit -m "Turn the shaft"', 'Turn the shaft'],
    ["git commit -am 'Turn the shaft'", 'Turn the shaft'],
    ['git -C /work commit --message="Turn the shaft"', 'Turn the shaft'],
    ['git commit -m "Turn it\n\nCo-Authored-By: A. Mill <a@mill>"', 'Turn it'],
    ['git commit -m "Title" -m "The body says why."', 'Title\n\nThe body says why.'],
    ['git commit -m "Say \\"hello\\" for \\$5"', 'Say "hello" for $5'],
    ['cd mill && git add -A && git commit -m "Turn the shaft" && git push', 'Turn the shaft'],
    [
      'git commit -m "$(cat <<\'EOF\'\nTitle\n\nIt\'s the "body" -m "not a flag".\nEOF\n)"',
      'Title\n\nIt\'s the "body" -m "not a flag".',
    ],
    ['gh pr create --title "Turn it" --body "Because it leaks."', 'Turn it\n\nBecause it leaks.'],
  ])('%j', (line, text) => expect(textInCommand(line)).toBe(text));

  it.each([
    'grep -m "1" git',
    'python -m "pytest tests"',
    'git log -n "5"',
    'git push',
    'git commit --amend --no-edit',
    'git commit -m "unfinished',
    'git init && git commit -m "initial"',
    'git commit -m "$(cat <<EOF\nnever ended',
    'echo "commit -m text"',
    'grep -m "some words" file && git commit --amend',
  ])('none: %j', (line) => expect(textInCommand(line)).toBe(''));

  it('is linear in hostile lines, and leaves scripts alone', () => {
    expect(textInCommand(`git commit ${'-m "'.repeat(4_000)}`)).toEqual(expect.any(String));
    expect(textInCommand(`git commit -m "x y" ${' '.repeat(20_001)}`)).toBe('');
  });
});

it.each([
  [
    'The wheel turns the wrong way because the gate is mirrored. We keep the old sluice for now, and look at the new one when the water is lower than today.',
    true,
  ],
  ['short.', false],
  [`const gate = (a) => { return a; };\n`.repeat(10), false],
  ['0x7f '.repeat(60), false],
  ['word '.repeat(10_000), false],
])('prose among arguments %#', (text, expected) => expect(readsAsProse(text)).toBe(expected));

it.each<[readonly string[], string]>([
  [['bash', '-lc', 'make all'], 'make all'],
  [['powershell', '-NoProfile', '-Command', 'npm test'], 'npm test'],
  [['cd mill', 'make all'], 'make all'],
  [['npm', 'test'], 'npm test'],
  [['git', 'commit', '-m', 'Turn the shaft'], "git commit -m 'Turn the shaft'"],
  [['ls'], 'ls'],
])('the command line of a list: %j', (command, line) =>
  expect(commandLineOf(parseArguments(JSON.stringify({ command })))).toBe(line),
);
