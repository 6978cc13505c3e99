/** The action that a tool's name suggests. Names are matched word by word, so that every agent's names work. */
export type Verb = 'write' | 'run' | 'read' | 'search' | 'other';

const list = (names: string) => new Set(names.split(' '));

/** Each answer of these tools is new by design (the latest output, the next page), so none is a question. */
const STREAMS = list('output stdin poll wait next scroll follow continue resume');
const WRITES = list(
  'write edit multiedit patch applypatch create insert replace append delete remove rename move overwrite undo save update add',
);
const CREATES = list('create write overwrite save');
const RUNS = list('bash shell sh exec execute run terminal command cmd powershell zsh console');
const READS = list('read view open cat load readfile viewfile viewcode readfiles');
const SEARCHES = list(
  'grep glob find ls list search rg tree lookup query fetch get check retrieve show describe count status diff log blame stat ' +
    'explore locate',
);
const SEARCH_ENDINGS = /(search|fetch|grep|glob)$/;

export function verbOf(toolName: string): Verb {
  const words = wordsOf(toolName);
  if (words.some((word) => STREAMS.has(word))) return 'other';
  // `search_replace` writes, `run_search` runs, `read_search_results` reads: the strongest word counts.
  if (words.some((word) => WRITES.has(word))) return 'write';
  if (words.some((word) => RUNS.has(word))) return 'run';
  if (words.some((word) => READS.has(word))) return 'read';
  return words.some((word) => SEARCHES.has(word) || SEARCH_ENDINGS.test(word)) ? 'search' : 'other';
}

/** Whether a write creates the file (or all its content) or deletes it; most writes modify it. */
export function writeOf(verb: string): 'created' | 'modified' | 'deleted' {
  const words = wordsOf(verb);
  if (words.some((word) => word === 'delete' || word === 'remove')) return 'deleted';
  return words.some((word) => CREATES.has(word)) ? 'created' : 'modified';
}

/** The words of `mcp__files__readFile`, `fs.read_file`, `ReadFile`, without leading server names. */
function wordsOf(name: string): string[] {
  const own = name.split(/__|[./:]/).at(-1) ?? name;
  return own
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
