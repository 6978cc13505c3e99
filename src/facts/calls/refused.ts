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
];

/** Whether the result of a call that writes a file says that nothing was written, where no flag of the result does. */
export function isRefused(text: string): boolean {
  const beginning = text.slice(0, BEGINNING_CHARS).trimStart();
  return REFUSED.some((pattern) => pattern.test(beginning));
}
