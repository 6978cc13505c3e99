/** Blocks that programs put into a message of the user, between tags no person types. */
const PROGRAM_BLOCK =
  /<(system-reminder|environment_context|task-notification|local-command-[a-z]+|command-[a-z]+|user-prompt-submit-hook|turn_aborted|bash-(?:input|stdout|stderr)|ide_[a-z_]+)\b[^>]*>[\s\S]*?<\/\1>/g;

/** Lines that a program printed: stack frames, log lines, compiler messages, prompts, rules, rows of a table. */
const PROGRAM_LINE = new RegExp(
  [
    String.raw`^\s*at \S+ ?\(`,
    String.raw`^\s*File "[^"]+", line \d+`,
    String.raw`^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d`,
    String.raw`^\s*\[?\d\d:\d\d:\d\d`,
    String.raw`^\s*(?:npm|yarn|pnpm) (?:ERR!|error|warn)`,
    String.raw`^\s*(?:[\w.]*(?:Error|Exception|Warning)|error|warning|fatal|panic|note|hint)(?:\[\w+\]| TS\d+)?:`,
    String.raw`^\s*Traceback \(`,
    String.raw`^\s*(?:FAIL|PASS|ok|not ok|ERROR|WARN|INFO|DEBUG)\b[\s:|-]`,
    String.raw`^\s*(?:---|===|\*\*\*|✓|✗|✕|●|❯|⎿|│|┃|║|╭|╰|\|)`,
    String.raw`^\s*(?:\$|>>>|%|#!) ?\S`,
    String.raw`^\s*>`,
    String.raw`^[+-]\S.*[;{}()]\s*$`,
    String.raw`^\s*[\w./-]+\.\w{1,5}:\d+(?::\d+)?[:\s]`,
    String.raw`^\s*\[(?:Request interrupted|image omitted)`,
    String.raw`^\s*Tool call error`,
  ].join('|'),
);

/** A text of a user without what programs wrote into it and what stands in code fences. */
export function withoutPrograms(text: string): string {
  const bare = text.includes('<') ? text.replace(PROGRAM_BLOCK, '') : text;
  let inCode = false;
  return bare
    .split('\n')
    .filter((line) => {
      if (line.trimStart().startsWith('```')) {
        inCode = !inCode;
        return false;
      }
      return !inCode && !PROGRAM_LINE.test(line);
    })
    .join('\n');
}
