import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSession, type ReadSession } from '../../../../src/faces/importers/index.js';
import { textOf } from '../../../../src/transcript/index.js';

/** Reads what a test wrote down, as a user would: from a file. Folder and files go when the tests are done. */
export function sessionFiles(): (content: string, format?: string) => Promise<ReadSession> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return (content, format) => {
    const path = join(folder, `${files++}`);
    writeFileSync(path, content);
    return readSession(path, format === undefined ? {} : { format });
  };
}

export const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Who says what, in order: `user: go`, with calls and results by id. */
export function told({ parsed }: ReadSession): string[] {
  return parsed.messages.map(({ role, origin, parts }) => {
    const said = parts.map((part) => {
      if (part.type === 'tool-call') return `call ${part.callId} ${part.name}(${part.arguments})`;
      if (part.type === 'tool-result')
        return `${part.isError ? 'failed ' : ''}${part.callId}: ${textOf(part)}`;
      return part.type === 'file' ? `<${part.mediaType}>` : textOf(part);
    });
    return `${role}${origin === 'synthetic' ? '*' : ''}: ${said.join(' | ')}`;
  });
}

export const kinds = ({ parsed }: ReadSession): string[] => parsed.notices.map(({ kind }) => kind);
