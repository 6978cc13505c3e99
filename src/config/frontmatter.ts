import type { Origin } from './faults.js';
import { parseSource, type Source } from './source.js';

/** Between two lines of three dashes, at the very beginning. */
const FRONTMATTER = /^\uFEFF?---[^\S\n]*\n([^]*?)\n---[^\S\n]*(?:\n|$)/;

/** The YAML at the head of a Markdown file; empty where it has none. */
export async function frontmatterOf(text: string, origin: Origin): Promise<Source> {
  const found = FRONTMATTER.exec(text.replaceAll('\r\n', '\n'));
  return found ? parseSource(found[1]!, origin) : { tree: {}, faults: [] };
}
