import { wasNotRun } from './status.js';

/** Only the beginning of a result says that nothing was done: further on it may show what was written. In characters. */
const BEGINNING_CHARS = 400;

/** How tools that write files say that they did not. */
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
/** What the Model Context Protocol says of a call that failed, as JSON and as Python prints it; what calls others may hand it on within. */
const FLAGGED = /"isError"\s{0,4}:\s{0,4}true\b|\bisError=True\b/;

/** Whether the result of a call that writes a file says that nothing was written, where no flag of the result does. */
export function isRefused(text: string): boolean {
  if (wasNotRun(text)) return true;
  const beginning = text
    .slice(0, BEGINNING_CHARS)
    .trimStart()
    .replace(/^<(?:observation|output|result|tool_result)>\s{0,4}/, '');
  return saysFailed(text) || REFUSED.some((pattern) => pattern.test(beginning));
}

/** Whether the protocol of tools says that a call failed, at the beginning or the end of its result. */
export function saysFailed(text: string): boolean {
  return FLAGGED.test(text.slice(0, BEGINNING_CHARS)) || FLAGGED.test(text.slice(-BEGINNING_CHARS));
}

/** How programs of the shell say that they did not find or could not write a file. */
const COULD_NOT =
  /^(?:rm|mv|cp|sed|touch|tee|bash|sh|zsh|cd|patch|perl|git): (?:line \d{1,6}: )?[^\n]{0,300}\b(?:No such file or directory|cannot (?:stat|remove|create|open|access|touch)|can't (?:read|open)|Permission denied|Operation not permitted|Read-only file system|Not a directory|Is a directory|did not match any file)[^\n]{0,200}$/gim;
const OUTPUT_CHARS = 4_000;

/** Whether the output of a command line says that it could not do something to a file. */
export function refusedFiles(output: string): (path: string) => boolean {
  const lines = output.slice(0, OUTPUT_CHARS).match(COULD_NOT);
  if (!lines) return () => false;
  const named = lines.map((line) => ({ line, words: line.split(/[\s'"‘’:,]+/) }));
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf('/'));
    return named.some(
      ({ line, words }) =>
        words.some((word) => word === path || (word !== '' && path.endsWith(`/${word}`))) ||
        (folder !== '' && /\bcd: /.test(line) && words.includes(folder)),
    );
  };
}
