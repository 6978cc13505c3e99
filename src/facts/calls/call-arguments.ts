import { NumberLiteral, parseJson } from '../../transcript/index.js';

/** A tool call's arguments, parsed once for all who ask. */
export interface CallArguments {
  /** The parameters, where the arguments are a JSON object; empty otherwise. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The arguments as a text, where they are no JSON object: free-form input, or JSON that the model broke. */
  readonly text: string | undefined;
}

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});
/** Deeper nesting is no argument a person or model wrote; the bound keeps the walk off the stack's end. */
const MAX_DEPTH = 32;

export function parseArguments(text: string): CallArguments {
  try {
    const value = parseJson(text);
    if (typeof value === 'string') return { fields: NO_FIELDS, text: value };
    if (isRecord(value)) return { fields: value, text: undefined };
  } catch {
    // Free-form input, cut off, or malformed: read as the text it is.
  }
  return { fields: NO_FIELDS, text };
}

/**
 * Every text in the arguments that a model chose, numbers included. Parameter names are the tool's own words and
 * say nothing about what the call refers to.
 */
export function visitTexts(call: CallArguments, visit: (text: string) => void): void {
  if (call.text !== undefined) visit(call.text);
  else visitLeaves(call.fields, visit, 0);
}

function visitLeaves(value: unknown, visit: (text: string) => void, depth: number): void {
  if (typeof value === 'string') visit(value);
  else if (typeof value === 'number') visit(String(value));
  else if (value instanceof NumberLiteral) visit(value.literal);
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const inner of Object.values(value)) visitLeaves(inner, visit, depth + 1);
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
  );
}

/** The same text for the same JSON value, whatever the order of its keys. `skip` leaves out top-level keys. */
export function canonicalJson(
  value: unknown,
  skip: (key: string) => boolean = () => false,
  depth = 0,
): string {
  if (depth >= MAX_DEPTH) return '"…"';
  if (Array.isArray(value))
    return `[${value.map((inner) => canonicalJson(inner, undefined, depth + 1)).join(',')}]`;
  if (value instanceof NumberLiteral) return value.literal;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value)
    .filter((key) => !skip(key))
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], undefined, depth + 1)}`).join(',')}}`;
}
