/** Makes hostile input of `n` characters: one short text repeated. */
export type Pump = (n: number) => string;

const repeated =
  (unit: string): Pump =>
  (n) =>
    unit.repeat(Math.ceil(n / unit.length)).slice(0, n);

const UNITS = [
  'a',
  ' ',
  '\t',
  '\n',
  '\r',
  '.',
  '-',
  '/',
  '0',
  '=',
  '<',
  '"',
  '\\',
  '{',
  '[',
  '(',
  '`',
  '\u2028',
  'ä',
  '…',
  '<A',
  '</',
  '<a>',
  '<bash-stderr',
  '<system-reminder>',
  '- [ ] ',
  '- [x',
  '1. ',
  '> ',
  '```',
  '# ',
  '| a ',
  '--- \r',
  '--- a\t',
  '+++ b\n',
  '*** Add File: ',
  '@@ ',
  'diff --git ',
  'cd a && ',
  'cat x | ',
  '$(',
  "'",
  'eyJaaaaaaaa-',
  'eyJaaaaaaaa.',
  '-----BEGIN PRIVATE KEY-----',
  'MIIEowIBAAKCAQEA0123456789abcdef\n',
  'PASSWORD=',
  'PASSWORD=x',
  'password: ',
  'token=',
  '://a:b',
  '://',
  '@a.',
  'bearer ',
  'cookie: a=',
  'curl -u ',
  '--token ',
  'recall m1, ',
  '[recall ',
  '(compacted ',
  'exit code ',
  'Error: ',
  '1 failed ',
  'https://a.b/',
  'a/b.c',
  'a_B1',
  'Never a. ',
  'never',
  'do not ',
  'instead of ',
  'at most 1',
  '1.1',
  '{"a":',
  '[[',
  '"a\\"',
  '\\n',
  '[… cut',
];

/** Texts that are expensive for a scanner that starts over at each of them, by name. */
export const PUMPS: Readonly<Record<string, Pump>> = Object.fromEntries(
  UNITS.map((unit) => [JSON.stringify(unit), repeated(unit)]),
);

/** The literal pieces and single characters that a pattern contains, alone and in pairs. */
export function pumpsOf(source: string): readonly Pump[] {
  const pieces = new Set<string>();
  const plain = source.replace(
    /\\[bBdDwWsS]|\(\?[:=!<]+|[()[\]{}|^$*+?]|\\u\{?[0-9a-fA-F]{1,6}\}?/g,
    '\u0000',
  );
  const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  for (const piece of plain.split('\u0000')) {
    const said = piece.replace(/\\(.)/g, (_, letter: string) => letters[letter] ?? letter);
    if (said === '') continue;
    pieces.add(said.slice(0, 40));
    pieces.add(said[0]!);
  }
  const units = [...pieces].slice(0, 24).concat(['a', '0', ' ', '\n', 'A', '.', '"']);
  const pumps = units.map(repeated);
  for (const first of units.slice(0, 12))
    for (const second of units) {
      pumps.push(repeated(first + second));
      pumps.push((n) => `${first}${repeated(second)(n)}\u0001`);
    }
  return pumps;
}
