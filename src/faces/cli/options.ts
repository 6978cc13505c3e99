import type { Command } from 'commander';
import { SpillwayError } from '../../errors/index.js';

/* Parsers of option values. Each throws `CONFIG_INVALID` for an invalid value. */

export function windows(text: string): number[] {
  const read = text.split(',').map(Number);
  if (read.every((one) => Number.isInteger(one) && one > 0)) return read;
  throw usageFault('--windows', text, 'whole numbers above 0, with commas between them');
}

const number =
  (isLegal: (value: number) => boolean, allowed: string) =>
  (option: string) =>
  (text: string): number => {
    const value = Number(text);
    if (isLegal(value) && text.trim() !== '') return value;
    throw usageFault(option, text, allowed);
  };

export const integer = number(
  (value) => Number.isSafeInteger(value) && value >= 0,
  'a whole number, 0 or more',
);
export const count = number((value) => Number.isSafeInteger(value) && value >= 1, 'a whole number from 1');
export const fraction = number((value) => value >= 0 && value <= 1, 'a pressure from 0 to 1');

export const names = (text: string): string[] => text.split(',').map((name) => name.trim());

export const indexes = (text: string): number[] => names(text).map(integer('--contexts-at'));

/** An option that may be given more than once. */
export const many =
  <T>(parse: (text: string) => T) =>
  (text: string, before: readonly T[] = []): readonly T[] => [...before, parse(text)];

export const usageFault = (subject: string, found: string, allowed: string): SpillwayError =>
  new SpillwayError('CONFIG_INVALID', {
    subject,
    found,
    allowed,
    remedy: 'See --help for what each option takes.',
  });

/** Options that several commands have. */
const SHARED = {
  window: ['--window <tokens>', 'input budget in tokens; nothing is reserved for the answer'],
  model: ['--model <name>', 'model whose limits apply'],
  profile: ['--profile <profile>', 'profile name or file'],
  config: ['--config <file>', 'configuration file'],
  store: [
    '--store <url>',
    'where sessions are kept: sqlite:FILE, postgres://HOST/NAME (default: the setting store)',
  ],
  json: ['--json', 'print JSON'],
} as const;

/** Adds shared options to a command. */
export function addShared(command: Command, ...options: readonly (keyof typeof SHARED)[]): Command {
  for (const name of options) {
    const [flags, description] = SHARED[name];
    if (name === 'window') command.option(flags, description, integer('--window'));
    else command.option(flags, description);
  }
  return command;
}
