import { statusIn, wasNotRun, withoutStatus, type Tells } from '../facts/index.js';

/** How a command ended: by its status, by what runners say at the end, or not to be told; or it was never run. */
export type Ending = 'passed' | 'failed' | 'unknown' | 'not run';

/** A runner's verdict stands at the end. */
const END_CHARS = 3_000;

/** A runner says that something failed. */
const FAILED =
  /\b[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing|failures?|errors?)\b|\b(?:failed|failures|errors)[:=] ?[1-9]|^[^\S\n]{0,12}(?:--- )?FAIL(?:ED|URE)?\b|^(?:#|ℹ) fail [1-9]|test result: FAILED|BUILD FAIL(?:ED|URE)|Code style issues|npm (?:ERR!|error)|error TS\d+|^(?:vet: )?\S{1,200}\.go:\d+:\d+: |make: \*\*\*|ELIFECYCLE/im;
/** The same may stand in what a test prints that passes: it counts where no verdict stands behind it. */
const SPEAKS_OF_FAILURE =
  /Traceback \(most recent|^panic:|^error(?:\[\w+\])?:(?!\s*(?:0|none|no)\b)|: error:|command not found|: No module named \S|segmentation fault|^fatal:|^\w{0,80}(?:Error|Exception): |is not recognized as/gim;
/** Verdicts that count, or speak of all. */
const COUNTED =
  /\b[1-9]\d* (?:tests? |specs? |suites? )?(?:passed|passing)\b|test result: ok|BUILD SUCCESS|all (?:(?:tests|checks) pass(?:ed)?|matched files use)|\b0 (?:errors|failures|problems|issues|findings)\b|no issues found|^(?:#|ℹ) fail 0\b/gim;
const PASSED = /^(?:PASS|OK|ok)\b|success(?:fully)?\b/im;
/** What a runner says of a test that passed: its name may speak of errors. */
const PASSING_LINE = /^[^\S\n]{0,12}(?:✓|✔|√|☑|--- PASS|PASS\b|ok \d)[^\n]{0,400}/gm;

/** A check that has nothing to say has nothing to complain of. */
const SILENT = /^\(?(?:no output|command completed(?: successfully)?(?: with no output)?)?\.?\)?$/i;

/** A command that is no check says that it failed in so many words: what it prints may speak of failures. */
const BROKE =
  /^(?:bash: |zsh: |sh: )?.{0,80}command not found|^\S{1,80}: No module named \S|^(?:fatal|error): |^[^\S\n]{0,4}! \[rejected\]|^Traceback \(most recent|^[\w.]{0,120}(?:Error|Exception): |^npm ERR!|^make: \*\*\*|^(?:curl|git|gh|cat|ls|cp|mv|rm|sed): /m;
const BROKE_CHARS = 600;

/** What hosts say in place of an output: it goes on, or was stopped or cleared. */
const UNENDED =
  /\b(?:timed? ?out|timeout|cancell?ed|aborted|interrupted|terminated|background|still running|no new output|requires approval|content cleared|denied)\b/i;
const STATUS_CHARS = 400;

interface RunFacts {
  /** The host says that the call failed. */
  readonly isError?: boolean;
  /** A test, build or linter, whose words are its verdict. */
  readonly isCheck?: boolean;
  readonly tells?: Tells;
  /** The host has told of a failure before: where it tells of none, there is none. */
  readonly isTold?: boolean;
}

/** Reads the ends of a text only, whatever its size. */
export function endingOf(
  text: string,
  { isError = false, isCheck = true, tells = 'all', isTold = false }: RunFacts = {},
): Ending {
  if (wasNotRun(text)) return 'not run';
  const status = statusIn(text);
  const isBad = status === undefined ? isError : status !== 0;
  const isGood = !isBad && status !== undefined;
  if (!isCheck) {
    const broke =
      BROKE.test(text.slice(-BROKE_CHARS)) || text.slice(-END_CHARS).includes('Traceback (most recent');
    if (isBad || (broke && status === undefined)) return 'failed';
    return isGood && !broke && tells === 'all' ? 'passed' : 'unknown';
  }
  const said = saidBy(text.slice(-END_CHARS));
  switch (tells) {
    case 'nothing':
      return 'unknown';
    case 'status':
      return isBad ? 'failed' : isGood ? 'passed' : 'unknown';
    case 'counts':
      return said;
    case 'chain':
    case 'all':
      if (isGood) return 'passed';
      if (isBad) return tells === 'chain' && said === 'passed' ? 'passed' : 'failed';
      // A host that tells of failures tells of none; what has not ended is no pass.
      if (isTold && said === 'unknown' && !UNENDED.test(text.slice(0, STATUS_CHARS))) return 'passed';
  }
  if (said !== 'unknown') return said;
  const isSilent = text.length < 80 && SILENT.test(withoutStatus(text).trim());
  const isSaid = tells !== 'begins' && PASSED.test(text.slice(-END_CHARS));
  return isSaid || (isSilent && tells !== 'words') ? 'passed' : 'unknown';
}

/** What the end of an output says of itself: the last verdict, unless something failed. */
function saidBy(end: string): 'passed' | 'failed' | 'unknown' {
  const news = end.replaceAll(PASSING_LINE, (line) => ' '.repeat(line.length));
  if (FAILED.test(news)) return 'failed';
  const passed = lastOf(COUNTED, end);
  const failed = lastOf(SPEAKS_OF_FAILURE, news);
  if (passed > failed) return 'passed';
  return failed >= 0 ? 'failed' : 'unknown';
}

function lastOf(pattern: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}

/** Whether the host itself says that a call failed: by a status where its words begin or end. `exit status 1` is Go's word. */
export function tellsOfFailure(text: string): boolean {
  const [head, tail] = [text.slice(0, HOST_CHARS), text.slice(-HOST_CHARS)];
  return [head, tail].some((words) => !/exit status/i.test(words) && (statusIn(words) ?? 0) !== 0);
}

const HOST_CHARS = 60;
