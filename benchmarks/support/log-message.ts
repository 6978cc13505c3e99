import type { LogMessage } from '../../src/transcript/index.js';

const WORDS =
  'the build failed because src/parser/load.ts exports no retryLimit and 3 of 41 tests wait for it'.split(
    ' ',
  );

/** A log message of about 300 characters at `seq`, with its own words and one that all messages share (`note`). */
export function logMessage(seq: number, id = `m${seq}`): LogMessage {
  const words = Array.from({ length: 50 }, (_, i) => WORDS[(seq * 7 + i * (1 + (seq % 5))) % WORDS.length]!);
  const text = `note ${words.join(' ')} step${seq}`;
  const size = { tokens: 60, bytes: text.length, images: 0 };
  return {
    id,
    seq,
    role: seq % 2 === 0 ? 'user' : 'assistant',
    origin: seq % 2 === 0 ? 'user' : 'model',
    parts: [{ type: 'text', text }],
    size: { ...size, parts: [size] },
  };
}
