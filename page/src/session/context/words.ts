import type { Part } from '../../api/types';

/** The words of a part, as plain text. The page shows them only as text, because their author is not trusted. */
export function wordsOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return part.arguments;
    case 'tool-result':
      return part.content.map((inner) => (inner.type === 'text' ? inner.text : fileLine(inner))).join('\n');
    case 'file':
      return fileLine(part);
    case 'marker':
      return part.marker === 'give-back'
        ? `[${part.handle ?? 'what was given back'}: ${part.text === undefined ? 'left out, there was no room' : 'given back by an operator'}]`
        : `[compaction asked for${part.auto ? ', by the host' : ''}]`;
    case 'opaque':
      return `[${part.kind}, ${part.bytes} bytes]`;
  }
}

const fileLine = ({ mediaType, bytes, name }: Extract<Part, { type: 'file' }>): string =>
  `[${name ?? 'file'}: ${mediaType}, ${bytes} bytes]`;

export function kindOf(part: Part): string {
  if (part.type === 'tool-call') return `calls ${part.name}`;
  if (part.type === 'tool-result')
    return `${part.isError === true ? 'error' : 'result'}${part.name === undefined ? '' : ` of ${part.name}`}`;
  return part.type;
}
