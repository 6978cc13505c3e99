import type { Aligned } from '../conversation/aligned.js';
import { isText } from '../record.js';
import type { Entry } from './wire-form.js';
import { withoutId, type Item } from './wire.js';
import type { Report } from '../conversation/repairs.js';

/** An item of a step, and what is sent for it: nothing where its parts were taken out. */
export interface Written {
  readonly item: Item;
  readonly parts: readonly Aligned[];
  readonly written: readonly Entry[];
}

/**
 * The server wants a reasoning item directly before the item that it led to, and knows by their ids which belong
 * together: a reasoning item whose successor is gone goes too, and items behind one that is gone lose their ids.
 */
export function boundEntries(items: readonly Written[], note: Report): readonly Entry[] {
  const entries: Entry[] = [];
  /** The reasoning before these items is not sent. */
  let loose = false;
  items.forEach(({ item, written }, index) => {
    if (item.type !== 'reasoning') {
      entries.push(...(loose ? written.map(untied) : written));
      return;
    }
    const next = items.slice(index + 1).find((one) => one.item.type !== 'reasoning');
    const isReadable = isText(item.encrypted_content) || isText(item.id);
    if (written[0]?.item === item && isReadable && next && next.written.length > 0) {
      loose = false;
      entries.push(...written);
      return;
    }
    loose = true;
    if (written[0]?.item !== item) entries.push(...written);
    else if (!isReadable)
      note('unbound-reasoning', 'reasoning without id and sealed content means nothing; not sent');
    else if (!next) note('dangling-reasoning', 'reasoning that led to nothing is refused; not sent');
  });
  return entries;
}

function untied(entry: Entry): Entry {
  const item = withoutId(entry.item);
  return item === entry.item ? entry : { ...entry, item };
}
