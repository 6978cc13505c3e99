import type { Notice } from '../../spi/index.js';
import type { Message, Part } from '../../transcript/index.js';
import { bytesOf, chatFilePart } from '../files/index.js';
import { reporter, SAID } from '../conversation/repairs.js';
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
      reporter(message.id, notices)('foreign-part', SAID.foreignPart(part.kind, part.bytes));
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
