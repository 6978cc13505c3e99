import { doubleQuoted, endOfLine, hereDocument, singleQuoted, type Quoted } from './quotes.js';

/** One command of a shell line: `FOO=1 sed -n 1,20p x 2>/dev/null | head > y` is two. */
export interface ShellCommand {
  /** Name and arguments, quotes taken off. */
  readonly words: readonly string[];
  /** Files its output goes to, and those it is added to. */
  readonly outputs: readonly string[];
  readonly appends: readonly string[];
  /** Bodies of its here-documents. */
  readonly documents: readonly string[];
  /** Reads what the command before it wrote. */
  readonly piped: boolean;
  /** What stands between it and the next: `&&`, `||`, `;`, `|`, `&`; '' behind the last. A new line is `;`. */
  readonly ends: string;
}

type Growing = {
  -readonly [Key in keyof ShellCommand]: ShellCommand[Key] extends boolean | string
    ? ShellCommand[Key]
    : string[];
};

/** Where the next word goes; `none`: a file that is only read, or takes the error output. */
type Sink = 'words' | 'outputs' | 'appends' | 'document' | 'none';

/** What cannot be told without running it: loops, functions, groups. Sub-shells are met by their parentheses. */
const UNTELLABLE = new Set('for while until if case select function do then else [[ { !'.split(' '));
const PLAIN = /[^\s|&;<>()'"\\`$#]+/y;

/** The line that a shell is given as one word: `bash -lc "npm test"`; undefined of any other command. */
export function innerLine([name, flag, line]: readonly string[]): string | undefined {
  return /(^|\/)(ba|z|da)?sh$/.test(name ?? '') && /^-l?i?c$/.test(flag ?? '') ? line : undefined;
}

/** Splits a command line into its commands; undefined where it says more than a list of plain commands. */
export function splitShell(line: string): readonly ShellCommand[] | undefined {
  return new ShellReader(line).read();
}

/** Reads character by character: a regular expression over a whole here-document could run out of stack. */
class ShellReader {
  readonly #line: string;
  readonly #commands: Growing[] = [];
  #awaited: { readonly delimiter: string; readonly owner: Growing }[] = [];
  #at = 0;
  #command = fresh(false);
  #word: string | undefined;
  #sink: Sink = 'words';

  constructor(line: string) {
    this.#line = line;
  }

  read(): readonly ShellCommand[] | undefined {
    while (this.#at < this.#line.length) if (!this.#step()) return undefined;
    this.#endCommand('');
    return this.#commands.some((command) => UNTELLABLE.has(command.words[0] ?? ''))
      ? undefined
      : this.#commands;
  }

  /** False where the line cannot be told. */
  #step(): boolean {
    const line = this.#line;
    const next = line[this.#at + 1];
    switch (line[this.#at]) {
      case "'":
        return this.#quoted(singleQuoted(line, this.#at));
      case '"':
        return this.#quoted(doubleQuoted(line, this.#at));
      case '\\':
        if (next !== '\n') this.#add(next ?? '');
        this.#at += 2;
        return true;
      case '$':
        // Sub-shells and `$'..'`; plain variables stay as they are and make the name an unknown one.
        if (next === '(' || next === "'" || next === '"') return false;
        this.#add('$');
        this.#at++;
        return true;
      case '#':
        if (this.#word === undefined) this.#at = endOfLine(line, this.#at);
        else {
          this.#add('#');
          this.#at++;
        }
        return true;
      case '<':
      case '>':
        return this.#redirect();
      case '&':
        return next === '>' ? this.#redirect() : this.#separate();
      case ';':
      case '|':
      case '\n':
        return this.#separate();
      case '`':
      case '(':
      case ')':
        return false;
    }
    PLAIN.lastIndex = this.#at;
    const plain = PLAIN.exec(line)?.[0];
    // No plain character: white space.
    if (plain === undefined) this.#endWord();
    else this.#add(plain);
    this.#at += plain?.length ?? 1;
    return true;
  }

  #quoted(found: Quoted | undefined): boolean {
    if (!found) return false;
    this.#add(found.text);
    this.#at = found.end;
    return true;
  }

  #redirect(): boolean {
    const descriptor = /^\d$/.test(this.#word ?? '') ? this.#word! : '';
    if (descriptor !== '') this.#word = undefined;
    this.#endWord();
    const operator = /^(?:&>>|&>|>>|>\||>&|>|<<<|<<-|<<|<&|<)/.exec(
      this.#line.slice(this.#at, this.#at + 3),
    )![0];
    this.#at += operator.length;
    if (operator === '<<' || operator === '<<-') this.#sink = 'document';
    else if (operator.startsWith('<') || operator === '>&' || descriptor === '2') this.#sink = 'none';
    else this.#sink = operator.endsWith('>>') ? 'appends' : 'outputs';
    return this.#line[this.#at] !== '(';
  }

  #separate(): boolean {
    const operator = /^(?:&&|\|\||\|&|[;&|\n])/.exec(this.#line.slice(this.#at, this.#at + 2))![0];
    this.#at += operator.length;
    this.#endCommand(operator === '|&' ? '|' : operator === '\n' ? ';' : operator);
    if (operator !== '\n') return true;
    for (const { delimiter, owner } of this.#awaited) {
      const { text, end } = hereDocument(this.#line, this.#at, delimiter);
      owner.documents.push(text);
      this.#at = end;
    }
    this.#awaited = [];
    return true;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    if (this.#sink === 'document') this.#awaited.push({ delimiter: this.#word, owner: this.#command });
    else if (this.#sink !== 'none') this.#command[this.#sink].push(this.#word);
    this.#word = undefined;
    this.#sink = 'words';
  }

  #endCommand(operator: string): void {
    this.#endWord();
    const { words, outputs, appends } = this.#command;
    this.#command.ends = operator;
    if (words.length + outputs.length + appends.length > 0) this.#commands.push(this.#command);
    this.#command = fresh(operator === '|');
  }
}

function fresh(piped: boolean): Growing {
  return { words: [], outputs: [], appends: [], documents: [], piped, ends: '' };
}
