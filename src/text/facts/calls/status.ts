/** A host's report of the status: a line or a tag of its own, unlike a test's output `server exited with code 0`. */
const STATUS_LINE =
  /^[^\S\n]{0,12}["<(]{0,2}(?:(?:process|command|script|shell) )?(?:exit(?:ed)?(?:[ _](?:with )?)?(?:code|status)?|return ?code|rc)["'>) ]{0,3}[:=>]?[^\S\n]{0,4}(-?\d{1,3})\b[^\n]{0,14}$/gim;
/** A field of a JSON result. */
const STATUS_FIELD = /"(?:exit_?code|exit_?status|returncode)"\s*:\s*(-?\d{1,3})\b/gi;
const BACKGROUND = /^<summary>[^\n]{0,300}\(exit code (\d{1,3})\)/gm;
const STATUS_CHARS = 400;

/** The status of a command, if its host reports it. Of several, one that is not 0: `echo "exit=$?"` adds its own 0. */
export function statusIn(text: string): number | undefined {
  // The tail may begin within a line; the mark keeps that text from counting as a line start.
  const [head, tail] = [text.slice(0, STATUS_CHARS), `…${text.slice(-STATUS_CHARS)}`];
  const isRecord = /^\s*[{[]/.test(head);
  const found = [STATUS_LINE, BACKGROUND, ...(isRecord ? [STATUS_FIELD] : [])]
    .flatMap((pattern) => [...head.matchAll(pattern), ...tail.matchAll(pattern)])
    .map(([, status]) => Number(status));
  return found.find((status) => status !== 0) ?? found[0];
}

/** The user or a hook refused the call before it ran. */
const NOT_RUN =
  /^\W{0,4}(?:<\w*error>)?\s*(?:the (?:user|operator) (?:does ?n['’]t want|rejected|declined|denied|cancell?ed|chose not)|(?:tool (?:use|call|execution)|command|operation|execution) (?:was )?(?:rejected|declined|denied|cancell?ed) by|user (?:rejected|declined|denied|cancell?ed)|permission to use |\w{3,20}ToolUse\S{0,40} hook )/i;

/** Whether the result of a call reports that the call was not allowed. */
export const wasNotRun = (text: string): boolean => NOT_RUN.test(text.slice(0, STATUS_CHARS));

/** Only the beginning of a result reports a failed write; later text may be the file's content. In characters. */
const BEGINNING_CHARS = 400;

/** Reports of failure by tools that write files. */
const REFUSED = [
  /^(?:<\w*error>|(?:error|exception|fatal|failure)\s{0,2}[:(]|\w{0,40}(?:Error|Exception): )/i,
  /^(?:failed|unable|could ?n[o']t|cannot|can['’]t|refus(?:ed|ing)) (?:to |find|apply|be )/i,
  /^[\w .:-]{1,60} (?:failed|was (?:cancell?ed|rejected|declined|denied))\s{0,2}[:.](?:\s|$)/i,
  /^(?:permission|access|operation|request|edit|write|change)s? (?:was |were )?(?:not (?:permitted|allowed|applied)|denied|cancell?ed|rejected)/i,
  /^(?:the )?(?:user|operator) (?:does ?n['’]t want|has |have )?(?:cancell?ed|rejected|declined|denied|doesn['’]t want)/i,
  /^(?:no (?:match|changes?|such file)|string (?:to replace )?not found|file not found|old_?str\w* (?:was )?not found)/i,
  /^\{\s{0,4}"(?:error|exception)"\s{0,4}:(?!\s{0,4}(?:null|false|""|\{\s{0,4}\}))/,
  /"(?:exit_code|exitCode|returncode)"\s{0,4}:\s{0,4}-?[1-9]/,
  /^\{\s{0,4}"(?:success|ok)"\s{0,4}:\s{0,4}false/,
  /^\{\s{0,4}"status"\s{0,4}:\s{0,4}"(?:error|failed|failure)"/,
  /^(?:EACCES|ENOENT|EPERM|EROFS|ENOSPC|EISDIR|ENOTDIR)\b/,
  /^no replacement (?:was )?performed|^.{0,200}\bdid not appear verbatim\b/i,
  /^the path .{1,200} (?:does not exist|is not an absolute path)/i,
  /^the tool execution failed\b/i,
  /^0 of \d{1,4} (?:edits|changes|hunks)\b/i,
];
/** The failure mark of the Model Context Protocol, as JSON and as Python prints it; outer tools may pass it on. */
const FLAGGED = /"isError"\s{0,4}:\s{0,4}true\b|\bisError=True\b/;

/** Whether the result of a writing call reports that nothing was written, if the result has no such flag. */
export function isRefused(text: string): boolean {
  if (wasNotRun(text)) return true;
  const beginning = text
    .slice(0, BEGINNING_CHARS)
    .trimStart()
    .replace(/^<(?:observation|output|result|tool_result)>\s{0,4}/, '');
  return reportsFailure(text) || REFUSED.some((pattern) => pattern.test(beginning));
}

/** Whether the tool protocol reports a failed call, at the beginning or the end of its result. */
export function reportsFailure(text: string): boolean {
  return FLAGGED.test(text.slice(0, BEGINNING_CHARS)) || FLAGGED.test(text.slice(-BEGINNING_CHARS));
}
