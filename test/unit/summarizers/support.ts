import type { Summarizer, SummaryRequest } from '../../../src/spi/index.js';
import { createRedact } from '../../../src/text/facts/index.js';
import {
  TextBuyer,
  Breakers,
  Filler,
  memoryOfTexts,
  parsePrompt,
  type FillerParts,
} from '../../../src/summarizers/index.js';
import { Log, type Message, type ModelCall, type PlannedEdit } from '../../../src/transcript/index.js';

const count = (text: string): number => Math.ceil(text.length / 4);
const say = (id: string, role: 'user' | 'assistant', text: string): Message => ({
  id,
  role,
  origin: role === 'user' ? 'user' : 'model',
  parts: [{ type: 'text', text }],
});

/** Eight messages of 150 tokens, users' and answers in turn. */
export const log = new Log();
for (let i = 0; i < 8; i++) {
  const message = say(`m${i}`, i % 2 === 0 ? 'user' : 'assistant', `Message ${i}: ${'words '.repeat(100)}`);
  log.append(message, {
    tokens: 150,
    bytes: 600,
    images: 0,
    parts: [{ tokens: 150, bytes: 600, images: 0 }],
  });
}

/** A summary of these messages, with what a plugin had carried beside it. */
export const edit = (from: number, to: number): PlannedEdit => ({
  kind: 'supersede',
  fromId: `m${from}`,
  toId: `m${to}`,
  replacement: [
    { ...say(`injected:notes:${from}`, 'assistant', 'Notes.'), label: 'injected' },
    { ...say(`summary:${from}`, 'assistant', 'Outline.'), label: 'summary' },
  ],
  sizes: [],
  stage: 'auto',
  reason: 'a test',
  slot: { fromId: `m${from}`, toId: `m${to}`, prompt: 'auto', maxTokens: 100 },
});

/** A filler that asks `summarize`; what it was asked, and what came of it. */
export function fillerOf(
  summarize: Summarizer['summarize'],
  {
    window,
    outputLimit,
    ...more
  }: Partial<FillerParts> & { readonly window?: number; readonly outputLimit?: number } = {},
) {
  const asked: SummaryRequest[] = [];
  const calls: ModelCall[] = [];
  const filler = new Filler({
    summarizer: {
      name: 'tester',
      endpoint: 'here',
      ...(window !== undefined && { window }),
      ...(outputLimit !== undefined && { outputLimit }),
      summarize: (request, signal) => {
        asked.push(request);
        return summarize(request, signal);
      },
    },
    breakers: new Breakers({ failures: 3, cooldownMs: 1_000, scope: 'pipeline' }),
    prompts: { of: (name) => parsePrompt(name, `System ${name}\n---\nDo {{handle}}.`), question: 'And?' },
    redact: createRedact(),
    buyer: new TextBuyer(memoryOfTexts()),
    resultChars: 2_000,
    chunks: 1,
    oversized: 'cut',
    generations: 0,
    concurrency: 2,
    deadlineMs: 1_000,
    count,
    timer: () => performance.now(),
    priceOf: () => null,
    stopReason: () => undefined,
    ...more,
  });
  const request = (edits: PlannedEdit[], ofLog = log) => ({
    edits,
    view: [],
    log: ofLog,
    isPinned: () => false,
    onCall: (call: ModelCall) => void calls.push(call),
  });
  const fill = (...edits: PlannedEdit[]) => filler.fill(request(edits));
  return { filler, request, fill, asked, calls };
}

export const good = () => Promise.resolve({ text: 'The mill was built.', finishReason: 'stop' });
