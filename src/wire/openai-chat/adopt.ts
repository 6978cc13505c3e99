import type { Notice } from '../../spi/index.js';
import type { Message, Part } from '../../transcript/index.js';
import { bytesOf, chatFilePart } from '../files/index.js';
import { FORMAT } from './wire.js';

/** Whether a message holds another format's objects, which mean nothing here. */
export function isForeign({ wireFormat }: Message): boolean {
  return wireFormat !== undefined && wireFormat !== FORMAT;
}

/** The same message without another format's objects: files in the form of chat, what chat has no place for named. */
export function adopted(message: Message): {
  readonly message: Message;
  readonly notices: readonly Notice[];
} {
  const notices: Notice[] = [];
  const parts = message.parts.flatMap((part): Part[] => {
    const { wire: _, ...own } = part;
    if (part.type === 'opaque') {
      const what = `${part.kind} (${part.bytes} bytes) has no place in a chat request and is not sent`;
      notices.push({ at: message.id, kind: 'foreign-part', what });
      return [];
    }
    if (part.type !== 'file') return [own as Part];
    const source = bytesOf(message, part);
    const wire = source && chatFilePart(source, part);
    return [wire ? { ...part, wire } : (own as Part)];
  });
  const { wire: _, wireFormat: __, ...own } = message;
  return { message: { ...own, parts }, notices };
}
