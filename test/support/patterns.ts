import ts from 'typescript';
import { SHAPES } from '../../src/text/facts/secrets/shapes.js';
import { read, sourceFiles } from '../unit/house/source.js';

/** A regular expression of the source. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** Its place: file and line, or the list that it is built for. */
  readonly at: string;
}

/** Every regular expression literal in src, and the patterns built for finding secrets; each once. */
export function patternsOfSource(): readonly Pattern[] {
  const patterns = new Map<string, Pattern>();
  const add = (pattern: Pattern): void => {
    const name = nameOf(pattern);
    if (!patterns.has(name)) patterns.set(name, pattern);
  };
  for (const file of sourceFiles()) {
    const tree = ts.createSourceFile(file, read(`src/${file}`), ts.ScriptTarget.Latest, false);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const line = tree.getLineAndCharacterOfPosition(node.end).line + 1;
        add({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), at: `${file}:${line}` });
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  for (const { kind, pattern } of SHAPES)
    add({ source: pattern.source, flags: pattern.flags, at: `text/facts/secrets/shapes.ts (${kind})` });
  return [...patterns.values()];
}

/** The pattern as it is written in code. */
export const nameOf = ({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string => `/${source}/${flags}`;
