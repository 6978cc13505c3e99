import { headOf } from './slices.js';

/** Lines of written code that best describe the change, in their own order. */

/**
 * The most telling first: comments give the author's reasons, declarations name new things; then file-level values and
 * texts.
 */
const TELLING_PATTERNS: readonly RegExp[] = [
  /^\s*(?:\/\/|#(?!include|define|!)|\*|\/\*|--|;;|"""|<!--)\s?.*\p{L}{3,}.*\p{L}{3,}/u,
  /^\s*(?:export |public |private |protected |static |async |pub |default |abstract |override )*(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|module|test|it|describe)\b[\s(]+\S/,
  /^(?:export )?(?:const|let|var|static|val)\s+\S|["'`][^"'`\n]{6,}["'`]/,
];
/** Lines of imports; in Go's import lists a path alone. */
const IMPORT_LINE =
  /^(?:import\b|from\s+\S+\s+import\b|export\s+(?:\*|\{[^}]*\})\s+from\b|#include\b|use\s+[\w:]+(?:::|;)|using\s+[\w.]+;|require(?:_relative)?\b|(?:const|let|var)\s[^=]{1,80}=\s*(?:await\s+)?(?:require|import)\(|(?:\w+\s)?"[\w.@-]+(?:\/[\w.@-]+)*"$)/;
const LINE_CHARS = 160;
/** Text beyond this is a file and can be recalled. */
const MAX_LINES = 400;

/** The most telling lines of a text that fit into `chars` characters, trimmed, in order; '' if none is telling. */
export function tellingLines(text: string, chars: number): string {
  const lines = [...new Set(text.split('\n', MAX_LINES))].filter(
    (line) => line.trim().length >= 6 && !IMPORT_LINE.test(line.trim()),
  );
  const kept = new Map<string, string>();
  let left = chars;
  for (const pattern of TELLING_PATTERNS)
    for (const line of lines) {
      const trimmed = headOf(line.trim(), LINE_CHARS);
      if (kept.has(line) || trimmed.length + 3 > left || !pattern.test(line.slice(0, LINE_CHARS))) continue;
      left -= trimmed.length + 3;
      kept.set(line, trimmed);
    }
  return lines.flatMap((line) => kept.get(line) ?? []).join('\n');
}
