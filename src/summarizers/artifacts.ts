import { createHash } from 'node:crypto';
import type { Prompt } from './prompts.js';

/** A text that was paid for. */
export interface Artifact {
  readonly text: string;
  readonly model: string;
}

/** Text by the exact source and prompt it was bought for: money never repeats, whatever became of the plan it was for. */
export class Artifacts {
  readonly #texts = new Map<string, Artifact>();

  key(prompt: Prompt, endpoint: string, source: string, previous = ''): string {
    const hash = createHash('sha256');
    for (const part of [prompt.hash, endpoint, previous, source]) hash.update(`${part.length}:${part}`);
    return hash.digest('hex');
  }

  find(key: string): Artifact | undefined {
    return this.#texts.get(key);
  }

  keep(key: string, artifact: Artifact): void {
    this.#texts.set(key, artifact);
  }
}
