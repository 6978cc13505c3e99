import type { Command } from 'commander';
import { each, names, shared, whole, windows } from '../options.js';

/** The command and what it takes; its code is loaded when it runs. */
export function benchCommand(program: Command): Command {
  const bench = program
    .command('bench')
    .description('Hold policies against each other on recorded sessions: the same calls, budget and count.')
    .argument('<paths...>', 'session files, or folders of them')
    .option(
      '--policies <names>',
      'profiles, files of settings, keep-newest, clear-tools, or modules that compact: staged,keep-newest,./mine.mjs',
      names,
      ['staged', 'keep-newest', 'clear-tools'],
    )
    .option(
      '--peer <adapter>',
      'adapter of another package, run in a process of its own; once for each',
      each(String),
    )
    .option('--windows <tokens>', 'input budgets, with commas between them', windows, [8_000, 32_000])
    .option('--equal', 'hold the others against the first also at as many tokens as it sends')
    .option('--prices <models>', 'what the input costs, by the price sheets of these models', names)
    .option('--memory', 'say what each policy holds of a session; takes longer')
    .option('--format <name>', 'format of the sessions: told from each file, or a name', 'auto')
    .option('--seed <number>', 'of the draws that intervals come from', whole('--seed'), 1)
    .option('--state <file>', 'keep what was measured here, and go on from it')
    .option('--report <file>', 'write everything measured as JSON')
    .option('--markdown <file>', 'write the tables as Markdown')
    .option('--html <file>', 'write one page with charts that needs nothing else')
    .option('--exam <folder>', 'ask a reader what each context still says: exams of some of the sessions')
    .option('--reader <model>', 'model that reads a context and answers')
    .option('--grader <model>', 'model that holds answers against the key (default: the reader)')
    .option(
      '--endpoint <url>',
      'OpenAI-compatible interface of both, /v1 included (default: OPENAI_BASE_URL)',
    )
    .option('--key <variable>', "environment variable with the endpoint's key", 'OPENAI_API_KEY')
    .option('--replicates <count>', 'readings of each context', whole('--replicates'), 3)
    .option('--check <file>', 'fail where a figure is worse than in this report; times are not compared');
  return shared(bench, 'config', 'json');
}
