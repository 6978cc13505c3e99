import type { ShellCommand } from '../shell/shell.js';

/**
 * What tells how a check of a line ended:
 * - `all`: the status of the line, and the check's words;
 * - `chain`: the same, but a status of failure may be that of what stands behind it;
 * - `status`: the status alone, for its words go into a file;
 * - `piped`: its words, where silence is a pass; the status is that of another program;
 * - `begins`: its first words, where silence is a pass;
 * - `words`: its words among those of others, where silence tells nothing;
 * - `counts`: the verdict of a runner, as far as a filter lets it through;
 * - `nothing`: it runs on, or neither status nor words are its own.
 */
export type Tells = 'all' | 'chain' | 'status' | 'piped' | 'begins' | 'words' | 'counts' | 'nothing';

/** From most to least: a line of several checks tells no more than the one that tells least. */
const LEAST: readonly Tells[] = ['nothing', 'counts', 'words', 'begins', 'piped', 'status', 'chain', 'all'];

/** What tells how several checks of one line ended. */
export function tellsOf(checks: readonly { readonly tells: Tells }[]): Tells {
  return LEAST.find((tells) => checks.some((check) => check.tells === tells)) ?? 'all';
}

/** Show the end of what they read, or all of it. */
const SHOW_ENDS = new Set(['tail', 'cat', 'tee', 'less', 'more']);

const SPEAKS_OF_FAILURE = /fail|error|not ok|✗|×|panic/i;
const VERDICT_WORDS =
  /\b(?:errors?|fail(?:ed|ing|ures?|s)?|not|ok|pass(?:ed|ing)?|panic|warn(?:ings?)?|tests?|suites?|total|summary|TS\d*)\b/gi;

/** What a pipeline behind a check lets through. */
function shownBy(filters: readonly ShellCommand[]): Tells {
  const shown = filters.map(({ words }): Tells => {
    const name = words[0] ?? '';
    if (SHOW_ENDS.has(name)) return 'piped';
    if (name === 'head') return 'begins';
    if (!/^[ef]?grep$|^rg$/.test(name)) return 'counts';
    // `grep -v noise` takes out what is no news; `grep -E "error|FAIL"` shows what there is to say.
    if (words.some((word) => /^-\w*v/.test(word))) return 'piped';
    const pattern = words.slice(1).find((word) => !word.startsWith('-')) ?? '';
    if (!SPEAKS_OF_FAILURE.test(pattern)) return 'counts';
    return /[\p{L}\p{N}]/u.test(pattern.replaceAll(VERDICT_WORDS, '')) ? 'counts' : 'piped';
  });
  return LEAST.find((tells) => shown.includes(tells)) ?? 'piped';
}

const SAYS_STATUS = /\$\?|\$\{?PIPESTATUS/;

/**
 * What tells how a command of a line ends. `keepsStatus`: a pipe ends as its worst command does; `stops`: a line ends at the
 * first command that fails.
 */
export function tellsIn(
  commands: readonly ShellCommand[],
  i: number,
  { keepsStatus, stops }: { keepsStatus: boolean; stops: boolean },
): Tells {
  const { ends, outputs, appends } = commands[i]!;
  const next = commands[i + 1];
  const isSilent = outputs.some((to) => to !== '/dev/stderr') || appends.length > 0;
  if (ends === '&') return 'nothing';
  if (ends === '|' && next) {
    const last = commands.findIndex((one, at) => at > i && one.ends !== '|');
    const shown = shownBy(commands.slice(i + 1, last + 1));
    return shown === 'piped' && keepsStatus ? 'all' : shown;
  }
  if (next === undefined || (ends === ';' && next.words.some((word) => SAYS_STATUS.test(word))))
    return isSilent ? 'status' : 'all';
  const rest = commands.slice(i);
  const isChain = rest.every(
    (one) => one.ends === '' || one.ends === '&&' || (stops && one.ends === ';') || one.ends === '|',
  );
  if (isChain) return isSilent ? 'status' : 'chain';
  return isSilent ? 'nothing' : 'words';
}
