import type { ZodType } from 'zod/v4';
import { allowed, placesIn, wholeSchema, type JsonSchema } from './json-schema.js';

const HEADER = `# Every setting of Spillway with its default. Generated from the schema.
# You may edit this file. A file of your own that holds only the differences survives an upgrade:
#   spillway config print --config mine.yaml
# Layers, each overriding the one before: this file, the profile, your file, the environment, code.
# A setting's variable is SPILLWAY_ and its path: SPILLWAY_THRESHOLDS_SNIP_THRESHOLD=0.75. Lists and mappings as JSON.
# Your file may start with "extends: <profile>"; the profiles are in profiles/.
# Shares and thresholds are parts of the budget, 0 to 1. null: Spillway decides, as the comment says.
`;

/** The text of default.yaml for these schemas: every setting, its default, its description, what it accepts. */
export const renderDefaultYaml = (settings: ZodType, stages: Readonly<Record<string, ZodType>>): string =>
  renderDefaults(wholeSchema({ settings, stages, knobs: {} }));

export function renderDefaults(root: JsonSchema): string {
  const blocks = [...placesIn(root)].flatMap((place) => {
    const { path, json, description, initial, isSection } = place;
    const key = String(path.at(-1));
    const isTop = path.length === 1;
    // An empty section is left out: an empty mapping would only raise the question what belongs there.
    if (isTop && isSection && Object.keys(json.properties!).length === 0) return [];
    const indent = '  '.repeat(path.length - 1);
    const name = /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key);
    const accepts = isSection ? '' : allowed(json);
    const text = accepts === '' ? description : `${description} [${accepts}]`.trim();
    // A setting without a default is shown as a comment; removing the # sets it.
    const isComment = initial === undefined && !isSection;
    const value = isSection ? '' : scalar(isComment ? json.default : initial);
    const line = `${indent}${isComment ? '# ' : ''}${name}: ${value}`.trimEnd();
    return [...(isTop ? [''] : []), ...comment(text, indent), line];
  });
  return `${HEADER}${blocks.join('\n')}\n`;
}

/** A value on one line: YAML's flow style, which is JSON with fewer quotes. */
function scalar(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.map(scalar).join(', ')}]`;
  if (typeof value === 'string' && /^[A-Za-z][\w/-]*$/.test(value) && !/^(true|false|null)$/i.test(value))
    return value;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, inner]) => `${scalar(key)}: ${scalar(inner)}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  const quoted = JSON.stringify(value);
  // Our formatter's quotes, if the text contains no quotes.
  return typeof value === 'string' && /^"[^'"\\]*"$/.test(quoted) ? `'${value}'` : quoted;
}

/** Words on comment lines of at most 110 characters, the width of the code. */
function comment(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && indent.length + line.length + word.length + 3 > 110) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.map((words) => `${indent}# ${words}`);
}
