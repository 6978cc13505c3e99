import { grouped } from '../../outline/index.js';

/** How numbers and tables look to people. */

export function amount(value: number): string {
  return Number.isFinite(value) ? grouped(Math.round(value)) : 'unlimited';
}

export function percent(pressure: number): string {
  return `${(pressure * 100).toFixed(1)} %`;
}

export function milliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(2)} ms` : `${Math.round(value)} ms`;
}

/** No lines, two spaces between columns: reads well on a terminal and in a log file. */
export const PLAIN_TABLE = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  },
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
} satisfies { chars: Record<string, string>; style: Record<string, unknown> };
