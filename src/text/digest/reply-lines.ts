import { oneLine, quoted, type CallNote, type Reply } from '../reading/index.js';

/** A question says what it is about within so much, in characters. */
const ASKED_CHARS = 300;
const CALL_CHARS = 140;

/**
 * What a user said to a call, each answer behind its question, other words behind what they are about:
 * `(asked “Which db?”) sqlite`, `(refused “rm -rf data”) Move it.`
 */
export function replyLines({ tool, label }: CallNote, { verdict, said }: Reply): string {
  const call = quoted(oneLine(`${tool} ${label}`.trim(), CALL_CHARS));
  const about = verdict === 'answered' ? 'to' : verdict;
  return said
    .map(({ asked, words }) =>
      asked === undefined
        ? `(${about} ${call}) ${words}`
        : `(asked ${quoted(oneLine(asked, ASKED_CHARS))}) ${words}`,
    )
    .join('\n\n');
}
