import { readFileSync } from 'node:fs';
import { isTagRow, ROWS, type Row } from '../../../../src/text/reading/speaker-table.js';

/** A text of a row's shape, or the texts of one message; and what looks like it and is the user's. */
export interface HostExample {
  readonly host: string;
  readonly row: string;
  readonly example: string | readonly [string, string];
  readonly counter: string;
}

export const EXAMPLES = JSON.parse(
  readFileSync(new URL('host-examples.json', import.meta.url), 'utf8'),
) as readonly HostExample[];

const nameOf = (row: Row): string => (isTagRow(row) ? `<${row.tag}>` : row.opens || row.label!);

/** Rows of one name are told by their place among them. */
export function exampleOf(row: Row): HostExample {
  const isNamed = ({ host }: Row): boolean => host === row.host;
  const place = ROWS.filter((one) => isNamed(one) && nameOf(one) === nameOf(row)).indexOf(row);
  const found = EXAMPLES.filter((one) => one.host === row.host && one.row === nameOf(row))[place];
  if (!found) throw new Error(`no example of ${row.host}: ${nameOf(row)}`);
  return found;
}
