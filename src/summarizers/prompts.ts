import { createHash } from 'node:crypto';
import { constants, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One prompt file: system text, a line of three dashes, then what to do with each source. */
export interface Prompt {
  readonly name: string;
  readonly system: string;
  readonly instruction: string;
  /** Of the whole file: text bought for one version is never taken for that of another. */
  readonly hash: string;
}

export const PROMPT_NAMES = ['micro', 'auto', 'partial', 'full', 'merge'] as const;

export interface Prompts {
  /** A stage without a prompt of its own gets that of `auto`. */
  of(name: string): Prompt;
}

/**
 * Reads the prompts. Where the operator has a folder, theirs count, and what is missing in it is written there: every
 * prompt in force can be read and changed in one place.
 */
export async function loadPrompts(ours: string, theirs: string | null = null): Promise<Prompts> {
  if (theirs !== null) await writeMissing(ours, theirs);
  const prompts = new Map<string, Prompt>();
  for (const name of PROMPT_NAMES)
    prompts.set(name, parsePrompt(name, await readFile(join(theirs ?? ours, `${name}.md`), 'utf8')));
  return { of: (name) => prompts.get(name) ?? prompts.get('auto')! };
}

export function parsePrompt(name: string, text: string): Prompt {
  const [system = '', instruction = ''] = text.split(/^---$/m).map((part) => part.trim());
  return { name, system, instruction, hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}

/** Puts values where `{{name}}` stands; unknown names stay as they are. */
export function filledIn(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

async function writeMissing(ours: string, theirs: string): Promise<void> {
  await mkdir(theirs, { recursive: true });
  for (const name of PROMPT_NAMES) {
    try {
      await copyFile(join(ours, `${name}.md`), join(theirs, `${name}.md`), constants.COPYFILE_EXCL);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    }
  }
}
