import type { LogMessage, Message, MessageSize, ViewMessage } from '../../transcript/index.js';
import { frozen } from '../frozen.js';

const EMPTY_SIZE: MessageSize = { tokens: 0, bytes: 0, images: 0, parts: [] };

/** A view without edits. */
export function unedited(messages: readonly Message[]): ViewMessage[] {
  return messages.map((message, seq) => {
    const source: LogMessage = { ...message, seq, size: EMPTY_SIZE };
    return frozen({ message: source, size: EMPTY_SIZE, from: seq, to: seq, source });
  });
}

/** The replacement of a superseded span, as compaction writes it. */
export function summaryView(from: number, to: number): ViewMessage {
  const message: Message = {
    id: `summary-${from}-${to}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'summary',
    parts: [{ type: 'text', text: `What happened from ${from} to ${to}, in short.` }],
  };
  return frozen({ message, size: EMPTY_SIZE, from, to, made: { stage: 'kit', reason: 'kit' } });
}

/** A message with its result cut to a few words, otherwise unchanged. */
export function cutResult(shown: ViewMessage): ViewMessage {
  const index = shown.message.parts.findIndex((part) => part.type === 'tool-result');
  const part = shown.message.parts[index];
  if (!shown.source || part?.type !== 'tool-result') return shown;
  const parts = shown.source.parts.with(index, { ...part, content: [{ type: 'text', text: '[cut]' }] });
  const replaced = new Map([[index, { stage: 'kit', reason: 'kit', length: 1 }]]);
  return { ...shown, message: { ...shown.source, parts }, replaced };
}
