import { oneLine, quoted, type CallNote, type Reply } from '../reading/index.js';

/** Most characters of a quoted question. */
const ASKED_CHARS = 300;
const CALL_CHARS = 140;

/**
 * A user's reply to a call, each answer after its question, other text after its subject: `(asked “Which db?”) sqlite`,
 * `(refused “rm -rf data”) Move it.`
 */
export function replyLines({ tool, label }: CallNote, { verdict, texts }: Reply): string {
  const call = quoted(oneLine(`${tool} ${label}`.trim(), CALL_CHARS));
  const relation = verdict === 'answered' ? 'to' : verdict;
  return texts
    .map(({ asked, words }) =>
      asked === undefined
        ? `(${relation} ${call}) ${words}`
        : `(asked ${quoted(oneLine(asked, ASKED_CHARS))}) ${words}`,
    )
    .join('\n\n');
}
