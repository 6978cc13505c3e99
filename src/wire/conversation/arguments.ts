import { parseJson } from '../../transcript/index.js';
import { isFields, type Fields } from '../record.js';
import type { Report } from './repairs.js';

/** What JSON text says; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Arguments as a value: nothing is an empty object, and what is no JSON is itself. */
export function argumentsIn(text: string): unknown {
  return text === '' ? {} : (jsonIn(text) ?? (text.trim() === 'null' ? null : text));
}

/** Arguments as the object that they must be: what is none goes into a field of one. */
export function argumentsObject(value: unknown, tool: string, report: Report): Fields {
  if (isFields(value)) return value;
  report('arguments-not-json', `the arguments of ${tool} are no object; sent in the field \`arguments\``);
  return value === undefined || value === null ? {} : { arguments: value };
}
