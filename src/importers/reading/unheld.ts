import type { Notice } from '../../spi/index.js';
import { endOfString } from './values.js';

/** Long enough, or with such an exponent, that the runtime may read it as another number. */
const SUSPECT = /\d{16}|\de\+?\d{3}/i;

/** Says where JSON text has numbers that are read as others: ids of more than 16 digits, figures beyond all. */
export function numbersChanged(text: string, at: string): Notice[] {
  if (!SUSPECT.test(text)) return [];
  const [first, ...more] = unheldNumbers(text);
  if (first === undefined) return [];
  const others = more.length > 0 ? ` (and ${more.length} more numbers)` : '';
  const what = `the number ${shortened(first)} cannot be held and reads as ${JSON.stringify(Number(first))}${others}`;
  return [{ at, kind: 'number-changed', what }];
}

function unheldNumbers(text: string): string[] {
  const found: string[] = [];
  const token = /"|-?\d[\d.e+-]*/gi;
  for (let hit = token.exec(text); hit; hit = token.exec(text)) {
    if (hit[0] !== '"') {
      if (!isHeld(hit[0])) found.push(hit[0]);
      continue;
    }
    const end = endOfString(text, token.lastIndex);
    if (end < 0) break;
    token.lastIndex = end;
  }
  return found;
}

/** Whole numbers exactly; what stands behind a point is rounded by whoever reads it. */
function isHeld(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return Number.isNaN(value);
  return !/^-?\d{16,}$/.test(written) || BigInt(written) === BigInt(value);
}

const shortened = (written: string): string => (written.length > 40 ? `${written.slice(0, 37)}...` : written);
