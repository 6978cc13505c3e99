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
}

interface Growing extends ShellCommand {
  readonly words: string[];
  readonly outputs: string[];
  readonly appends: string[];
  readonly documents: string[];
  piped: boolean;
}

/** Where the next word goes; `none`: a file that is only read, or takes the error output. */
type Sink = 'words' | 'outputs' | 'appends' | 'document' | 'none';

/** What cannot be told without running it: sub-shells, loops, functions. */
const UNTELLABLE = new Set('for while until if case select function do then else [[ { ( !'.split(' '));
const BLANK = /^(?:[ \t\r]|\\\n)+/;
const COMMENT = /^#[^\n]*/;
const REDIRECT = /^(\d*|&)(>>|>\||>&|>|<<<|<<-|<<|<&|<)[ \t]*/;
const SINGLE = /^'([^']*)'/;
const DOUBLE = /^"((?:[^"\\`$]|\\[\s\S]|\$(?!\())*)"/;
const ESCAPED = /^\\([\s\S])/;
const WORD = /^(?:[^\s|&;<>()'"\\`$]|\$(?![('"{]))+/;
const SEPARATOR = /^(?:&&|\|\||\|&|[;&|\n])/;
const LINE = /^([^\n]*)(?:\n|$)/;

/** Splits a command line into its commands; undefined where it says more than a list of plain commands. */
export function splitShell(line: string): readonly ShellCommand[] | undefined {
  const commands: Growing[] = [];
  let command = fresh(false);
  let word: string | undefined;
  let sink: Sink = 'words';
  let awaited: { readonly delimiter: string; readonly owner: Growing }[] = [];
  let rest = line;

  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = pattern.exec(rest);
    if (!match) return undefined;
    rest = rest.slice(match[0].length);
    return match;
  };
  const endWord = () => {
    if (word === undefined) return;
    if (sink === 'document') awaited.push({ delimiter: word, owner: command });
    else if (sink !== 'none') command[sink].push(word);
    word = undefined;
    sink = 'words';
  };
  const endCommand = (piped: boolean) => {
    endWord();
    if (command.words.length + command.outputs.length + command.appends.length > 0) commands.push(command);
    command = fresh(piped);
  };
  const takeDocument = (delimiter: string): string => {
    const lines: string[] = [];
    for (let match = take(LINE); match; match = rest === '' ? undefined : take(LINE)) {
      if (match[1]!.trimStart() === delimiter) break;
      lines.push(match[1]!);
    }
    return lines.join('\n');
  };

  while (rest !== '') {
    let match: RegExpExecArray | undefined;
    if (take(BLANK)) endWord();
    else if (word === undefined && take(COMMENT)) continue;
    else if (word === undefined && (match = take(REDIRECT))) sink = sinkOf(match[1]!, match[2]!);
    else if ((match = take(SINGLE))) word = (word ?? '') + match[1]!;
    else if ((match = take(DOUBLE))) word = (word ?? '') + match[1]!.replace(/\\(["\\$`])/g, '$1');
    else if ((match = take(ESCAPED))) word = (word ?? '') + match[1]!;
    else if ((match = take(WORD))) word = (word ?? '') + match[0];
    else if (word !== undefined && /^[<>]/.test(rest)) endWord();
    else if ((match = take(SEPARATOR))) {
      endCommand(match[0] === '|' || match[0] === '|&');
      if (match[0] !== '\n') continue;
      for (const { delimiter, owner } of awaited) owner.documents.push(takeDocument(delimiter));
      awaited = [];
    } else return undefined;
  }
  endCommand(false);
  return commands.some((one) => UNTELLABLE.has(one.words[0] ?? '')) ? undefined : commands;
}

function sinkOf(descriptor: string, operator: string): Sink {
  if (operator === '<<' || operator === '<<-') return 'document';
  if (!operator.startsWith('>') || operator === '>&' || descriptor === '2') return 'none';
  return operator === '>>' ? 'appends' : 'outputs';
}

function fresh(piped: boolean): Growing {
  return { words: [], outputs: [], appends: [], documents: [], piped };
}
