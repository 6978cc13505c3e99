import { constants } from 'node:buffer';
import type { ReadSession } from '../read.js';
import { openaiChat } from '../openai-chat/index.js';
import { kindOf } from '../record.js';
import { unreadable, wrongFormat } from './faults.js';
import { TextPieces } from './text.js';

/** A file that is one JSON value: a list of chat messages, or a request body. */
export async function readWhole(
  path: string,
  format: string,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<ReadSession> {
  const { name } = openaiChat;
  const value = parseWhole(path, await collect(path, first, rest));
  if (format !== 'auto' && format !== name) {
    throw wrongFormat(
      path,
      `${kindOf(value)} as one JSON value`,
      'JSON Lines',
      `Name the format ${name}, or auto.`,
    );
  }
  const shape = Array.isArray(value) ? 'a JSON list of messages' : 'a JSON object with `messages`';
  const how = format === 'auto' ? `${name}: the file is ${shape}` : `${name}, as it was named`;
  return { format: name, how, parsed: openaiChat.parse(value) };
}

async function collect(path: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<string> {
  const text = new TextPieces();
  text.add(first);
  let bytes = first.length;
  for await (const chunk of rest) {
    text.add(chunk);
    bytes += chunk.length;
    if (bytes > constants.MAX_STRING_LENGTH) {
      throw wrongFormat(
        path,
        'one JSON value too long for a string',
        `at most ${constants.MAX_STRING_LENGTH} bytes`,
        'Write it as JSON Lines, one message a line; those are streamed.',
      );
    }
  }
  return text.take();
}

function parseWhole(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : unreadable(path, cause).message;
    throw wrongFormat(
      path,
      found,
      'one whole JSON value, or JSON Lines',
      'The file may be cut off; record it again.',
    );
  }
}
