import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSession } from '../../src/faces/importers/index.js';
import type { Message } from '../../src/transcript/index.js';

export interface BenchSession {
  readonly id: string;
  readonly file: string;
  readonly messages: readonly Message[];
}

export const CORPUS = join('..', 'shared', 'corpus', 'sessions');

/** Every session of a folder, read like a user's file; files of probes are skipped. */
export async function* sessionsOf(folder: string, only?: string): AsyncGenerator<BenchSession> {
  if (!existsSync(folder)) throw new Error(`no sessions in ${folder}; name a folder with --sessions`);
  const names = readdirSync(folder).filter(
    (name) => name.endsWith('.jsonl') && !name.endsWith('.probes.jsonl'),
  );
  for (const name of names.sort()) {
    const id = name.slice(0, -'.jsonl'.length);
    if (only !== undefined && !id.includes(only)) continue;
    const { parsed } = await readSession(join(folder, name));
    yield { id, file: join(folder, name), messages: parsed.messages };
  }
}
