import type { Parsed, RequestReader, WireFormat } from '../../spi/index.js';
import type { Dice } from '../histories/index.js';
import { frozen } from '../frozen.js';
import { bodyOf } from '../legal.js';
import { RuleBroken } from '../rule.js';
import { casesOf } from './checks.js';
import type { FormatSubject } from './subject.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * A reader equals `parse` after any change by its client between two requests: messages are added, taken back, edited,
 * left out, inserted, lose call ids, or are equal but new objects. Unchanged messages are not parsed again.
 */
export function checkReader({ format }: FormatSubject): void {
  if (format.createReader === undefined) return;
  for (const { where, view, dice } of casesOf()) {
    const whole = bodyOf(format, view);
    const reader = format.createReader();
    let items = listOf(format, whole);
    let last: Parsed | undefined;
    for (let turn = 0; turn < 8; turn++) {
      items = nextTurn(items, listOf(format, whole), dice);
      const body = frozen({ ...whole, [format.messagesField]: items });
      const now = demandEqual(format, reader, body, `${where}, turn ${turn}`);
      if (now) demandReported(last, now, `${where}, turn ${turn}`);
      last = now;
    }
    demandNoReparse(format, whole, where);
  }
}

function listOf(format: WireFormat, body: Body): readonly unknown[] {
  return body[format.messagesField] as readonly unknown[];
}

function nextTurn(items: readonly unknown[], whole: readonly unknown[], dice: Dice): readonly unknown[] {
  const at = dice.whole(0, Math.max(0, items.length - 1));
  switch (dice.whole(0, 6)) {
    case 0:
      return items.slice(0, at + 1);
    case 1:
      return items.filter((_, index) => index !== at || items.length === 1);
    case 2:
      return [...items.slice(0, at), whole[dice.whole(0, whole.length - 1)], ...items.slice(at)];
    case 3:
      return items.map((item, index) => (index === at ? withOtherText(item) : item));
    case 4:
      return items.map((item, index) => (index === at ? withoutIds(item) : item));
    case 5:
      return JSON.parse(JSON.stringify(items)) as unknown[];
    default:
      return [...items, ...whole.slice(items.length, items.length + 1 + at)];
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'content', 'output']);

function withOtherText(item: unknown): unknown {
  return editedJson(item, (key, value) =>
    TEXT_FIELDS.has(key) && typeof value === 'string' ? `${value} (edited)` : value,
  );
}

function withoutIds(item: unknown): unknown {
  return editedJson(item, (key, value) => (/(^id|_id|Id)$/.test(key) ? undefined : value));
}

function editedJson(item: unknown, change: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(item, change));
}

/** Returns the parse result; undefined if both throw the same error. */
function demandEqual(
  format: WireFormat,
  reader: RequestReader,
  body: Body,
  where: string,
): Parsed | undefined {
  let read: Parsed | undefined;
  const is = outcomeOf(() => {
    const { changedFrom: _, ...parsed } = (read = reader.read(body));
    return parsed;
  });
  const was = outcomeOf(() => format.parse(body));
  if (is === was) return read;
  const at = [...was].findIndex((sign, index) => sign !== is[index]);
  const [found, wanted] = [is, was].map((text) => text.slice(Math.max(0, at - 60), at + 60));
  throw new RuleBroken(`${where}: the reader gives …${found}…, and parse …${wanted}…`);
}

/** The outcome as text: the parse result, or the error. */
function outcomeOf(read: () => Parsed): string {
  try {
    return JSON.stringify(read());
  } catch (error) {
    return String(error);
  }
}

/** With one more item at the end no earlier item is parsed again, and the reader reports this. */
function demandNoReparse(format: WireFormat, whole: Body, where: string): void {
  const items = listOf(format, whole);
  const reader = format.createReader!();
  const first = reader.read({ ...whole, [format.messagesField]: items.slice(0, -1) }).messages;
  const { changedFrom = 0 } = reader.read(whole);
  // The newest message may continue in the new item.
  if (changedFrom < first.length - 1)
    throw new RuleBroken(
      `${where}: messages are parsed again from ${changedFrom} on, though nothing changed`,
    );
}

/** Before `changedFrom`, except for instructions at the head, no message differs from the last read. */
function demandReported(last: Parsed | undefined, now: Parsed, where: string): void {
  const { messages, changedFrom = 0 } = now;
  const head = messages.findIndex(({ role }) => role !== 'system');
  for (let at = head < 0 ? messages.length : head; at < Math.min(changedFrom, messages.length); at++) {
    if (JSON.stringify(messages[at]) !== JSON.stringify(last?.messages[at]))
      throw new RuleBroken(
        `${where}: message ${at} is new, and the reader says that only those from ${changedFrom} on are`,
      );
  }
}
