/** Lines that only a program writes. Each is read by its first `LINE_CHARS`. */
const STRONG = new RegExp(
  [
    // Stack frames and what stands above them.
    String.raw`^\s*at (?:async )?[\w.$<>[\] ]{1,100} ?\(`,
    String.raw`^\s*at (?:file:|node:|async |/)\S`,
    String.raw`^\s*File "[^"]{1,200}", line \d`,
    String.raw`^Traceback \(most recent call last\)`,
    String.raw`^goroutine \d+ \[`,
    String.raw`^panic: `,
    String.raw`^\s*Caused by: [\w.]+`,
    // Logs.
    String.raw`^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d`,
    String.raw`^\s*\[?\d\d:\d\d:\d\d`,
    String.raw`^\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\]? {1,4}[\w[(]`,
    String.raw`^(?:npm|yarn|pnpm) (?:ERR!|error|warn|WARN)`,
    String.raw`^ ?ERR_PNPM_`,
    String.raw`^\s*(?:\{"[\w$.@-]{1,60}":|\[\{")`,
    // Compilers and test runners.
    String.raw`^\s*[\w./@+-]{1,200}\.\w{1,5}[:(]\d{1,6}[:,)]`,
    String.raw`^(?:error|warning)(?:\[\w+\]| TS\d+): `,
    String.raw`^\s*(?:--- (?:FAIL|PASS|SKIP): |=== (?:RUN|NAME|CONT|PAUSE)\s)`,
    String.raw`^(?:FAIL|ok|PASS)(?:\t|  |$)`,
    String.raw`^\s*(?:✓|✗|✕|✔|✘|●|×) \S`,
    String.raw`^(?:not )?ok \d+ `,
    // Diffs.
    String.raw`^diff --git a/`,
    String.raw`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`,
    String.raw`^(?:---|\+\+\+) [ab]/`,
    String.raw`^index [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}`,
    // Terminals: prompts, boxes, spinners.
    String.raw`^(?:\$|❯|➜|⏺|⎿) {1,3}\S`,
    String.raw`^[\w.-]{1,40}@[\w.-]{1,60}[: ][^\n]{0,100}[$%#] `,
    String.raw`^\s*[│┃║┌└├╭╰┏┗╔╚━─═]`,
    String.raw`^\s*⎿`,
    String.raw`^(?:Debugger attached|Waiting for the debugger to disconnect)`,
    String.raw`^Node\.js v\d`,
  ].join('|'),
  'u',
);

/** Lines that end what others began: an error's own line, a diff's changed lines, whatever is indented. */
const SOFT =
  /^(?:\s{2,}\S|\t|[+-]\S|[\w.]{0,100}(?:Error|Exception|Warning)\b|(?:exit status|Exit code|Exit status) \d|\s*$)/u;

const LINE_CHARS = 300;

/** Spaces at the end of a line that was copied from a terminal as wide as its window. */
const PADDING = ' '.repeat(12);

export type LineKind = 'strong' | 'soft' | 'plain';

/** How sure it is that a program wrote a line. */
export function kindOfLine(line: string): LineKind {
  const head = line.slice(0, LINE_CHARS);
  if (line.endsWith(PADDING)) return 'strong';
  if (STRONG.test(head)) return 'strong';
  return SOFT.test(head) ? 'soft' : 'plain';
}
