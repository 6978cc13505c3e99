import { SpillwayError } from '../errors/index.js';

/* What options of the command line take. Each throws `CONFIG_INVALID` for anything else. */

export function windows(text: string): number[] {
  const read = text.split(',').map(Number);
  if (read.every((one) => Number.isInteger(one) && one > 0)) return read;
  throw usage('--windows', text, 'whole numbers above 0, with commas between them');
}

export function whole(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0 || text.trim() === '')
      throw usage(option, text, 'a whole number, 0 or more');
    return value;
  };
}

export function fraction(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value >= 0 && value <= 1) || text.trim() === '')
      throw usage(option, text, 'a pressure from 0 to 1');
    return value;
  };
}

export const names = (text: string): string[] => text.split(',').map((name) => name.trim());

export function indexes(option: string): (text: string) => number[] {
  const index = whole(option);
  return (text) => text.split(',').map((item) => index(item.trim()));
}

export function usage(subject: string, found: string, allowed: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject,
    found,
    allowed,
    remedy: 'See --help for what each option takes.',
  });
}
