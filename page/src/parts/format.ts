import { LANGUAGE } from '../language';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'medium' });

const SHORTENED_FROM = 100_000;

export const exact = (value: number): string => whole.format(value);
/** `41,203`, and `1.2M` from a hundred thousand on. */
export const count = (value: number): string =>
  Math.abs(value) < SHORTENED_FROM ? whole.format(value) : short.format(value);
export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
export const signed = (value: number): string =>
  value > 0 ? `+${count(value)}` : count(value).replace('-', '−');

/** Small amounts keep their significant digits. */
export function dollars(value: number): string {
  const size = Math.abs(value);
  const digits = size === 0 || size >= 1 ? 2 : size >= 0.01 ? 3 : 5;
  return `${value < 0 ? '−' : ''}$${size.toFixed(digits)}`;
}

export const dateTime = (ms: number): string => clock.format(ms);

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

export function ago(ms: number, now = Date.now()): string {
  const elapsed = Math.max(0, now - ms);
  const unit = UNITS.find(([, size]) => elapsed >= size);
  return unit ? `${Math.floor(elapsed / unit[1])} ${unit[0]} ago` : 'just now';
}

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** `1 message`, `3 messages`. */
export const counted = (value: number, thing: string): string =>
  `${count(value)} ${thing}${value === 1 ? '' : 's'}`;
