/** What a host says of the status: a line or a tag of its own. A test that prints `server exited with code 0` says nothing of itself. */
const STATUS_LINE =
  /^[^\S\n]{0,12}["<(]{0,2}(?:(?:process|command|script|shell) )?(?:exit(?:ed)?(?:[ _](?:with )?)?(?:code|status)?|return ?code|rc)["'>) ]{0,3}[:=>]?[^\S\n]{0,4}(-?\d{1,3})\b[^\n]{0,14}$/gim;
/** A record that a tool answers with. */
const STATUS_FIELD = /"(?:exit_?code|exit_?status|returncode)"\s*:\s*(-?\d{1,3})\b/gi;
const BACKGROUND = /^<summary>[^\n]{0,300}\(exit code (\d{1,3})\)/gm;
const STATUS_CHARS = 400;

/** The status of a command, where its host tells. One that is not 0 where there are several: a line that ends in `echo "exit=$?"` has two. */
export function statusIn(text: string): number | undefined {
  const [head, tail] = [text.slice(0, STATUS_CHARS), text.slice(-STATUS_CHARS)];
  const isRecord = /^\s*[{[]/.test(head);
  const found = [STATUS_LINE, BACKGROUND, ...(isRecord ? [STATUS_FIELD] : [])]
    .flatMap((pattern) => [...head.matchAll(pattern), ...tail.matchAll(pattern)])
    .map(([, status]) => Number(status));
  return found.find((status) => status !== 0) ?? found[0];
}

export const withoutStatus = (text: string): string => text.replaceAll(STATUS_LINE, '');

/** Somebody said no before it was run. */
const NOT_RUN =
  /^\W{0,4}(?:<\w*error>)?\s*(?:the (?:user|operator) (?:does ?n['’]t want|rejected|declined|denied|cancell?ed|chose not)|(?:tool (?:use|call|execution)|command|operation|execution) (?:was )?(?:rejected|declined|denied|cancell?ed) by|user (?:rejected|declined|denied|cancell?ed)|permission to use |\w{3,20}ToolUse\S{0,40} hook )/i;

/** Whether the result of a call says that nobody let it be done. */
export const wasNotRun = (text: string): boolean => NOT_RUN.test(text.slice(0, STATUS_CHARS));
