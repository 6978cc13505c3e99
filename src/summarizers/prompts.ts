import { createHash } from 'node:crypto';
import { constants, copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** One prompt file: the system text, a line of three dashes, then the instruction for each source. */
export interface Prompt {
  readonly name: string;
  readonly system: string;
  readonly instruction: string;
  /** The hash of the whole file: a text for one version is never used for another. */
  readonly hash: string;
}

export const PROMPT_NAMES = ['micro', 'auto', 'partial', 'full', 'merge'] as const;

/** The file of the question in place of a marker; it contains no instruction. */
const QUESTION = 'question';

/** Every file of the folder, by its name without `.md`. */
export const PROMPT_FILES: readonly string[] = [...PROMPT_NAMES, QUESTION];

/** Prompts for spans, or pieces of a span; `micro` puts one result into a line. */
const SPAN_PROMPTS: ReadonlySet<string> = new Set(['auto', 'partial', 'full', 'merge']);

export interface Prompts {
  /** The prompt of a stage, by default that of `auto`. */
  of(name: string): Prompt;
  /** The short question in place of a marker that asks for a compaction. */
  readonly question: string;
}

export interface PromptSources {
  /** The folder of the prompts in the package. */
  readonly packaged: string;
  /** The operator's folder; missing prompts are written there. */
  readonly custom?: string | null;
  /** Files that replace one prompt each, by its name. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Reads the prompts. If the operator has a folder, its prompts are used, and missing ones are written there, so that
 * every prompt in use can be read and changed in one place. Throws if a file cannot be read, or is empty.
 */
export function loadPrompts({ packaged, custom, files = {} }: PromptSources): Prompts {
  if (custom) writePrompts(packaged, custom);
  const fileOf = (name: string): string => files[name] ?? join(custom || packaged, `${name}.md`);
  const prompts = new Map<string, Prompt>(
    PROMPT_NAMES.map((name) => [name, parsePrompt(name, textIn(fileOf(name)))]),
  );
  const question = readFileSync(fileOf(QUESTION), 'utf8').trim();
  return { of: (name) => prompts.get(name) ?? prompts.get('auto')!, question };
}

/** The same prompts, with one prompt for all that write about spans. */
export function withOwnPrompt(prompts: Prompts, own: Prompt): Prompts {
  const isForSpans = (name: string): boolean => SPAN_PROMPTS.has(prompts.of(name).name);
  return { of: (name) => (isForSpans(name) ? own : prompts.of(name)), question: prompts.question };
}

/** Reads another prompt: a file, or by its name one in the operator's folder or ours. Throws if it does not exist. */
export function readPrompt(named: string, { packaged, custom }: PromptSources): Prompt {
  const isPath = /[\\/]|\.md$/.test(named);
  const places = isPath ? [named] : [custom, packaged].flatMap((at) => (at ? [join(at, `${named}.md`)] : []));
  const place = places.find((file) => statSync(file, { throwIfNoEntry: false })) ?? places.at(-1)!;
  return parsePrompt(named, textIn(place));
}

/** A file's text. Throws if it is empty: a model without instructions would continue the conversation it is shown. */
function textIn(path: string): string {
  const text = readFileSync(path, 'utf8');
  if (text.trim() === '') throw Object.assign(new Error('The file is empty.'), { path });
  return text;
}

export function parsePrompt(name: string, text: string): Prompt {
  // An instruction may contain such lines itself.
  const [system, ...more] = text.split(/^---$/m);
  const instruction = more.join('---').trim();
  return {
    name,
    system: system!.trim(),
    instruction,
    hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
  };
}

/** Replaces `{{name}}` by its value; unknown names remain. */
export function fillTemplate(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** Writes the prompts that are missing in a folder, and returns their paths. Never overwrites a file. */
export function writePrompts(packaged: string, folder: string): string[] {
  makeFolder(folder);
  return PROMPT_FILES.flatMap((name) => {
    const file = join(folder, `${name}.md`);
    try {
      copyFileSync(join(packaged, `${name}.md`), file, constants.COPYFILE_EXCL);
      return [file];
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
      return [];
    }
  });
}

/**
 * Creates a folder and its parents. The runtime's own `recursive` never ends if a file system denies the existence of
 * an existing folder, as `/proc` does.
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
