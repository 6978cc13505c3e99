import { textOf, type LogMessage } from '../../transcript/index.js';

/** The text of a message: no reasoning, no results. */
export function proseOf(message: { readonly parts: LogMessage['parts'] }): string {
  let prose = '';
  for (const part of message.parts)
    if (part.type === 'text') prose += prose === '' ? textOf(part) : `\n${textOf(part)}`;
  return prose;
}
