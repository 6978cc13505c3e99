import { createHash } from 'node:crypto';
import { constants, copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** One prompt file: system text, a line of three dashes, then what to do with each source. */
export interface Prompt {
  readonly name: string;
  readonly system: string;
  readonly instruction: string;
  /** Of the whole file: text bought for one version is never taken for that of another. */
  readonly hash: string;
}

export const PROMPT_NAMES = ['micro', 'auto', 'partial', 'full', 'merge'] as const;

/** Holds no instruction: what is asked where a marker stands. */
const QUESTION = 'question';

/** Every file of the folder, as its name without `.md`. */
export const PROMPT_FILES: readonly string[] = [...PROMPT_NAMES, QUESTION];

/** These stand for spans, or for a piece of one; `micro` puts one result into a line. */
const SPAN_PROMPTS: ReadonlySet<string> = new Set(['auto', 'partial', 'full', 'merge']);

export interface Prompts {
  /** A stage without a prompt of its own gets that of `auto`. */
  of(name: string): Prompt;
  /** The short question that stands where a marker asked for a compaction. */
  readonly question: string;
}

export interface PromptSources {
  /** Folder of the prompts that come with the package. */
  readonly ours: string;
  /** The operator's; what is missing in it is written there. */
  readonly theirs?: string | null;
  /** Files that take the place of one prompt each, by its name. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Reads the prompts. Where the operator has a folder, theirs count, and what is missing in it is written there: every
 * prompt in force can be read and changed in one place. Throws where a file cannot be read, or is empty.
 */
export function loadPrompts({ ours, theirs, files = {} }: PromptSources): Prompts {
  if (theirs) writePrompts(ours, theirs);
  const fileOf = (name: string): string => files[name] ?? join(theirs || ours, `${name}.md`);
  const prompts = new Map<string, Prompt>(
    PROMPT_NAMES.map((name) => [name, parsePrompt(name, textIn(fileOf(name)))]),
  );
  const question = readFileSync(fileOf(QUESTION), 'utf8').trim();
  return { of: (name) => prompts.get(name) ?? prompts.get('auto')!, question };
}

/** The same, with one prompt for all that stands for spans. */
export function withOwnPrompt(prompts: Prompts, own: Prompt): Prompts {
  const isSpans = (name: string): boolean => SPAN_PROMPTS.has(prompts.of(name).name);
  return { of: (name) => (isSpans(name) ? own : prompts.of(name)), question: prompts.question };
}

/** Reads one more prompt: a file, or by its name one in the operator's folder or in ours. Throws where there is none. */
export function readPrompt(named: string, { ours, theirs }: PromptSources): Prompt {
  const isPath = /[\\/]|\.md$/.test(named);
  const places = isPath ? [named] : [theirs, ours].flatMap((at) => (at ? [join(at, `${named}.md`)] : []));
  const place = places.find((file) => statSync(file, { throwIfNoEntry: false })) ?? places.at(-1)!;
  return parsePrompt(named, textIn(place));
}

/** A model that is asked nothing goes on with the conversation it is shown. */
function textIn(path: string): string {
  const text = readFileSync(path, 'utf8');
  if (text.trim() === '') throw Object.assign(new Error('The file is empty.'), { path });
  return text;
}

export function parsePrompt(name: string, text: string): Prompt {
  // An instruction may hold such lines itself.
  const [system, ...more] = text.split(/^---$/m);
  const instruction = more.join('---').trim();
  return {
    name,
    system: system!.trim(),
    instruction,
    hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
  };
}

/** Puts values where `{{name}}` stands; unknown names stay as they are. */
export function filledIn(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** Writes those prompts that are missing in a folder, and says which. Never over one that is there. */
export function writePrompts(ours: string, folder: string): string[] {
  makeFolder(folder);
  return PROMPT_FILES.flatMap((name) => {
    const file = join(folder, `${name}.md`);
    try {
      copyFileSync(join(ours, `${name}.md`), file, constants.COPYFILE_EXCL);
      return [file];
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
      return [];
    }
  });
}

/**
 * Makes a folder and those above it. Not by the runtime's own `recursive`: that one never ends where a file system says of
 * a folder that is there that nothing is, as `/proc` does.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(resolve(path));
  if (path !== '' && above !== resolve(path)) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
