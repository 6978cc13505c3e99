import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSession } from '../../../../src/faces/importers/index.js';
import { textOf, type Message } from '../../../../src/transcript/index.js';
import { CORPUS, hasCorpus } from '../views.js';
import { everything } from './bodies.js';

const folder = mkdtempSync(join(tmpdir(), 'spillway-dump-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What was said, whatever the wire: role, words, calls, results. */
const said = (messages: readonly Message[]): unknown[] =>
  messages.map(({ role, parts }) => [
    role,
    parts.flatMap((part): unknown[] => {
      if (part.type === 'tool-call') return [[part.callId, part.name, JSON.parse(part.arguments)]];
      if (part.type === 'tool-result') return [[part.callId, textOf(part)]];
      return [textOf(part)];
    }),
  ]);

describe('a recorded request of the Messages API', () => {
  it.each([
    ['printed over lines', 1],
    ['on one line', 0],
  ])('is recognised when it is %s', async (_, indent) => {
    const file = join(folder, `dump-${indent}.json`);
    writeFileSync(file, JSON.stringify(everything(), null, indent));
    const { format, parsed } = await readSession(file);
    expect([format, parsed.messages.length, parsed.model]).toEqual(['anthropic', 14, 'claude-sonnet-4-5']);
  });

  (hasCorpus ? it : it.skip)('agrees with its normalized form', async () => {
    const id = 'ml-django__django-14730';
    const raw = await readSession(`${CORPUS}/raw/anthropic-messages/${id}.json`);
    const normalized = await readSession(`${CORPUS}/sessions/${id}.jsonl`);
    const { messages } = normalized.parsed;
    expect(raw.format).toBe('anthropic');
    // The normalized form also holds the answer to the recorded request.
    expect(said(raw.parsed.messages)).toEqual(said(messages.slice(0, raw.parsed.messages.length)));
    expect(messages.length - raw.parsed.messages.length).toBeLessThanOrEqual(1);
  });
});
