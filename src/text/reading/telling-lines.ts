/** Lines of written code that say most of what was done, in their own order. */

interface Sign {
  readonly weight: number;
  readonly pattern: RegExp;
  /** Only in lines that stand at the margin. */
  readonly unindented?: true;
}

/** Gives a value a name. */
const VALUE = /^(?:export )?(?:const|let|var|static|val)\s+\S/;

/** Each line is judged by its first `LINE_CHARS`. Comments are the author's reasons; declarations name what is new. */
const SIGNS: readonly Sign[] = [
  {
    weight: 4,
    pattern: /^\s*(?:\/\/|#(?!include|define|!)|\*|\/\*|--|;;|"""|<!--)\s?.*\p{L}{3,}.*\p{L}{3,}/u,
  },
  {
    weight: 4,
    pattern:
      /^\s*(?:export |public |private |protected |static |async |pub |default |abstract |override )*(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|module|test|it|describe)\b[\s(]+\S/,
  },
  { weight: 2, pattern: VALUE },
  // A value of the file, not of a step in a function.
  { weight: 2, pattern: VALUE, unindented: true },
  { weight: 3, pattern: /["'`][^"'`\n]{6,}["'`]/ },
  { weight: 1, pattern: /\b[a-z]+[A-Z]\w+|\b\w+_\w+|\d{2,}/ },
];
const LINE_CHARS = 160;
/** Lines that bring in what others wrote; in Go's lists of imports a path alone. */
const BRINGS_IN =
  /^(?:import\b|from\s+\S+\s+import\b|export\s+(?:\*|\{[^}]*\})\s+from\b|#include\b|use\s+[\w:]+(?:::|;)|using\s+[\w.]+;|require(?:_relative)?\b|(?:const|let|var)\s[^=]{1,80}=\s*(?:await\s+)?(?:require|import)\(|(?:\w+\s)?"[\w.@-]+(?:\/[\w.@-]+)*"$)/;
/** More lines are a file: it is read back. */
const MOST_LINES = 400;

/** The most telling lines of a text that fit so many characters, trimmed, in order; '' where none tells anything. */
export function tellingLines(text: string, chars: number): string {
  const ranked: { place: number; weight: number; line: string }[] = [];
  const seen = new Set<string>();
  const lines = text.split('\n', MOST_LINES);
  lines.forEach((raw, place) => {
    const line = raw.trim().slice(0, LINE_CHARS);
    if (line.length < 6 || seen.has(line) || BRINGS_IN.test(line)) return;
    seen.add(line);
    const isAtMargin = !/^\s/.test(raw);
    const weight = SIGNS.reduce(
      (sum, sign) => sum + ((isAtMargin || !sign.unindented) && sign.pattern.test(line) ? sign.weight : 0),
      0,
    );
    // A line that only opens a block tells nothing without what is in it.
    const opens = /[{([]$/.test(line) && !line.includes(')') && !/["'`]/.test(line);
    if (weight > 2 && !opens) ranked.push({ place, weight, line });
  });
  let left = chars;
  return ranked
    .sort((a, b) => b.weight - a.weight || a.place - b.place)
    .filter(({ line }) => {
      if (line.length + 3 > left) return false;
      left -= line.length + 3;
      return true;
    })
    .sort((a, b) => a.place - b.place)
    .map(({ line }) => line)
    .join('\n');
}
