import type { TranscriptView, ViewExchange } from '../../src/spi/index.js';
import type { Message, ReadonlyLog } from '../../src/transcript/index.js';
import { replace, supersede } from './edits.js';
import { answer, call, summary, text, words } from './messages.js';

/** Every kind of illegal edit of this view, by name. A guard must refuse each, independently of other edits. */
export function illegalEdits(view: TranscriptView, log: ReadonlyLog): [why: string, edit: unknown][] {
  const first = log.at(0);
  const made: [string, unknown][] = [
    ['garbage', null],
    ['garbage', 'edit'],
    ['garbage', { kind: 'replace' }],
    ['garbage', { ...supersede(first.id, first.id), replacement: [undefined] }],
    ['garbage', new Proxy({}, { get: () => JSON.parse('{') as unknown })],
    ['unknown id', replace('nobody', 0, '')],
    ['unknown id', supersede(first.id, 'nobody')],
    ['unknown id', supersede('nobody', first.id)],
  ];
  const { exchanges } = view;
  const more = words(view.tokens + 9);
  for (const exchange of exchanges) made.push(...aboutOne(exchange, log, more));
  const [oldest, newest] = [exchanges[0], exchanges.at(-1)];
  if (oldest && newest && oldest.from < newest.from)
    made.push(['backwards', supersede(newest.fromId, oldest.fromId)]);
  return made;
}

function aboutOne(exchange: ViewExchange, log: ReadonlyLog, more: string): [string, unknown][] {
  const { fromId, toId, protection, unseen, messages, kind } = exchange;
  const short = summary(`new ${fromId}`, '.');
  const speaking = (changes: Partial<Message>): unknown =>
    supersede(fromId, toId, { ...short, parts: [text('never said by anyone')], ...changes });
  const made: [string, unknown][] = [
    ['growing', supersede(fromId, toId, { ...short, parts: [text(more)] })],
    ['speaks as user', speaking({ role: 'user' })],
    ['speaks as system', speaking({ role: 'system' })],
    ['calls', speaking({ parts: [call('rm')] })],
    ['answers', speaking({ parts: [answer('c1', '')] })],
    ['taken id', supersede(fromId, toId, { ...short, id: log.at(0).id })],
  ];
  if (protection || unseen) made.push([protection ?? 'unseen', supersede(fromId, toId, short)]);
  if (kind === 'replacement') return made;
  if (messages.length > 1) {
    const [a, b] = [messages[0]!, messages.at(-1)!];
    made.push(
      ['split', supersede(a.source!.id, a.source!.id)],
      ['split', supersede(b.source!.id, b.source!.id)],
    );
  }
  for (const { source } of messages) {
    if (!source) continue;
    for (const index of [-1, NaN, 0.5, source.parts.length, Infinity])
      made.push(['part index', replace(source.id, index, '')]);
    source.parts.forEach((part, index) => {
      if (protection) made.push([protection, replace(source.id, index)]);
      if (part.type === 'tool-call') {
        if (isObject(part.arguments)) made.push(['no JSON', replace(source.id, index, '{')]);
        return;
      }
      made.push(['a call for a part', replace(source.id, index, call('rm'))]);
      made.push(['growing', replace(source.id, index, more)]);
      if (source.seq >= log.unseenFrom) made.push(['unseen not a cut', replace(source.id, index, '§')]);
    });
  }
  return made;
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
