import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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

/** Reads each prompt from the first folder that has it: the operator's own, then ours. */
export async function loadPrompts(folders: readonly string[]): Promise<Prompts> {
  const prompts = new Map<string, Prompt>();
  for (const name of PROMPT_NAMES) prompts.set(name, parsePrompt(name, await firstOf(folders, `${name}.md`)));
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

async function firstOf(folders: readonly string[], file: string): Promise<string> {
  let cause: unknown;
  for (const folder of folders) {
    try {
      return await readFile(join(folder, file), 'utf8');
    } catch (error) {
      cause = error;
    }
  }
  throw cause;
}
