/** Names that written code declares: what an edit adds, said without its code. */

/** More lines are a file: it is read back. */
const MOST_LINES = 400;
/** Each line is judged by its first so many characters. */
const LINE_CHARS = 160;
const NAME_CHARS = 60;

const MODIFIERS =
  '(?:(?:export|default|public|private|protected|internal|static|async|pub|abstract|override|final|unsafe|suspend|sealed) ){0,4}';
const KEYWORDS =
  'function\\*?|class|interface|type|enum|def|defp|defmodule|fn|func|fun|struct|trait|protocol|record|module|macro_rules!|sub|proc';
/** `func (s *Store) Open(`, `export class Draft`, `pub fn parse`; a Go receiver stands before the name. */
const DECLARATION = new RegExp(
  `^\\s*${MODIFIERS}(?:${KEYWORDS})\\s+(?:\\([^()\\n]{0,60}\\)\\s*)?([\\p{L}_$][\\p{L}\\p{N}_$.]{2,${NAME_CHARS}})`,
  'u',
);
/** `it('says why', …)`: a test is known by its sentence. */
const NAMED_TEST = /^\s*(?:it|test|describe|scenario|context)(?:\.\w{2,10})?\(\s*(["'`])([^"'`\n]{4,60})\1/;

/** What a text declares, each once, in order. */
export function declaredNames(text: string): string[] {
  const names = new Set<string>();
  for (const line of text.split('\n', MOST_LINES)) {
    const head = line.slice(0, LINE_CHARS);
    const name = DECLARATION.exec(head)?.[1] ?? NAMED_TEST.exec(head)?.[2];
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
