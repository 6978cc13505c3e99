import { parseJson } from '../../transcript/index.js';

/** The JSON values on one line. Usually one; two where an append was torn, and then the line break is missing. */
export function valuesOn(line: string): { readonly values: readonly unknown[]; readonly rest: string } {
  const whole = parsed(line);
  if (whole) return { values: [whole.value], rest: '' };
  const values: unknown[] = [];
  let from = 0;
  for (let end = endOfValue(line, from); end > from; end = endOfValue(line, from)) {
    const one = parsed(line.slice(from, end));
    if (!one) break;
    values.push(one.value);
    from = end;
  }
  return { values, rest: line.slice(from).trim() };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

/** Just behind the bracket that closes the object or list beginning at `from`; `from` itself where none does. */
function endOfValue(text: string, from: number): number {
  const token = /["{}[\]]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const sign = found[0];
    if (sign === '"') {
      const end = endOfString(text, token.lastIndex);
      if (end < 0) return from;
      token.lastIndex = end;
    } else if (sign === '{' || sign === '[') {
      depth++;
    } else {
      depth--;
      if (depth <= 0) return depth === 0 ? token.lastIndex : from;
    }
  }
  return from;
}

/** Just behind the quotation mark that closes a string; -1 where none does. */
export function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at + 1;
  }
  return -1;
}
