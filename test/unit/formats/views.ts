import { existsSync, readdirSync } from 'node:fs';
import type { LogMessage, Message, Part, ViewMessage } from '../../../src/transcript/index.js';

const NOTHING = { tokens: 0, bytes: 0, images: 0, parts: [] };

/** A view in which nothing was edited. */
export function originals(messages: readonly Message[]): ViewMessage[] {
  return messages.map((message, seq) => {
    const source: LogMessage = { ...message, seq, size: NOTHING };
    return { message: source, size: NOTHING, from: seq, to: seq, source };
  });
}

/** A view message with one part replaced, as the projection makes it. */
export function withPart(shown: ViewMessage, index: number, content: readonly Part[]): ViewMessage {
  const parts = shown.message.parts.flatMap((part, at) => (at === index ? content : [part]));
  const mark = { stage: 'test', reason: 'test', length: content.length };
  return { ...shown, message: { ...shown.source!, parts }, replaced: new Map([[index, mark]]) };
}

/** A message that stands for a superseded span. */
export function made(message: Message): ViewMessage {
  return { message, size: NOTHING, from: 0, to: 0, made: { stage: 'test', reason: 'test' } };
}

/** The recorded sessions next to the repository, if there are any. */
export const CORPUS = '../shared/corpus';
export const hasCorpus = existsSync(CORPUS);
export const sessions = hasCorpus
  ? readdirSync(`${CORPUS}/sessions`).filter((name) => name.endsWith('.jsonl') && !name.includes('.probes.'))
  : [];
if (!hasCorpus) process.stdout.write(`skipped: no recorded sessions at ${CORPUS}\n`);
