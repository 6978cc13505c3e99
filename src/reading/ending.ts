/** How a command ended: by its status, by what runners say at the end, or not to be told. */
export type Ending = 'passed' | 'failed' | 'unknown';

const STATUS =
  /(?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|exited(?: with)?|return ?code)["'>)\s]*[:=>]?\s*(-?\d{1,3})\b/i;
const STATUS_CHARS = 400;
/** A runner's verdict stands at the end. */
const END_CHARS = 3_000;

const FAILED =
  /\b[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing|failures?|errors?)\b|\bfailed[:=] ?[1-9]|^\s*(?:--- )?FAIL(?:ED|URE)?\b|BUILD FAILED|npm (?:ERR!|error)|error TS\d+|Traceback \(most recent|^panic:|^error(?:\[\w+\])?:|: error:|make: \*\*\*|command not found|: No module named \S|ELIFECYCLE|segmentation fault|^fatal:|^\w*(?:Error|Exception): |is not recognized as/im;
const PASSED =
  /\b[1-9]\d* (?:tests? |specs? |suites? )?(?:passed|passing)\b|test result: ok|BUILD SUCCESS|^(?:PASS|OK|ok)\b|all checks passed|\b0 (?:errors|failures|problems)\b|no issues found|success(?:fully)?\b/im;

/** A check that has nothing to say has nothing to complain of. */
const SILENT = /^\(?(?:no output|command completed(?: successfully)?(?: with no output)?)?\.?\)?$/i;

/** A command that is no check says that it failed in so many words: what it prints may speak of failures. */
const BROKE =
  /^(?:bash: |zsh: |sh: )?.{0,80}command not found|^\S{1,80}: No module named \S|^fatal: |^Traceback \(most recent|^\w*(?:Error|Exception): |^npm ERR!|^make: \*\*\*|^(?:curl|git|gh|cat|ls|cp|mv|rm|sed): /m;

/**
 * Reads the ends of a text only, whatever its size. `isCheck`: a test, build or linter, whose words are its verdict;
 * `piped`: a status of 0 is that of what stands behind it (`pytest | tail`).
 */
export function endingOf(
  text: string,
  {
    isError = false,
    isCheck = true,
    piped = false,
  }: { isError?: boolean; isCheck?: boolean; piped?: boolean } = {},
): Ending {
  const status = STATUS.exec(text.slice(0, STATUS_CHARS)) ?? STATUS.exec(text.slice(-STATUS_CHARS));
  if (status && status[1] !== '0') return 'failed';
  if (status && !piped) return 'passed';
  if (isError) return 'failed';
  const end = text.slice(-END_CHARS);
  if (!isCheck) return BROKE.test(text.length < 600 ? text : end.slice(-600)) ? 'failed' : 'unknown';
  if (FAILED.test(end)) return 'failed';
  return PASSED.test(end) || (SILENT.test(text.slice(0, 80).trim()) && text.length < 80)
    ? 'passed'
    : 'unknown';
}
