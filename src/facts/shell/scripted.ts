/**
 * Commands and patches inside a script that an agent writes to call its tools (Codex's code mode: `tools.exec_command({
 * cmd: "npm test" })`). Told by the call's own spelling, whatever else the script does.
 */
const CALL = /\b(?:exec_command|shell|bash|run_command|local_shell)\s*\(/;
const COMMAND =
  /\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\\n]|\\.){1,4000}"|'(?:[^'\\\n]|\\.){1,4000}'|`[^`]{1,4000}`)/g;
/** A longer script is a program. In characters. */
const LONGEST = 60_000;

/** The command lines a script runs, in order; empty where it is no such script. */
export function commandsInScript(script: string): string[] {
  if (script.length > LONGEST || !CALL.test(script)) return [];
  return [...script.matchAll(COMMAND)].map(([, literal]) => unquoted(literal!));
}

/** The patch a script hands over; '' where there is none. */
export function patchInScript(script: string): string {
  const from = script.indexOf('*** Begin Patch');
  const to = from < 0 ? -1 : script.indexOf('*** End Patch', from);
  if (to < 0 || script.length > LONGEST) return '';
  const patch = script.slice(from, to);
  // In a string literal the line breaks are escapes.
  return patch.includes('\n') ? patch : unquoted(`"${patch}"`);
}

function unquoted(literal: string): string {
  const body = literal.slice(1, -1);
  return body.replace(/\\(n|t|r|.)/g, (_whole, escaped: string) => ESCAPES[escaped] ?? escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
