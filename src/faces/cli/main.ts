import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { SpillwayError } from '../../errors/index.js';
import { packageFolder } from '../../package-folder.js';
import { many, fraction, indexes, names, addShared, integer, windows } from './options.js';
import { storedCommands } from './stored-commands.js';
import { createTerminal, EXIT, exitCodeOf, visible, type Terminal } from './terminal.js';

/** Runs one command line and resolves to the exit code of the process. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal = createTerminal()): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(terminal, (exit) => (code = exit));
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.inputAtFault;
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.note(visible(error instanceof SpillwayError ? error.message : `INTERNAL: ${words}`));
    return exitCodeOf(error);
  }
}

const pathOf = (one: Command): string => (one.parent ? `${pathOf(one.parent)} ${one.name()}` : one.name());

/** The command line. A command's code is loaded when the command runs, so that starting does not load unused code. */
export function createProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('spillway')
    .description('Keeps LLM agent sessions inside their window: six stages that open as pressure rises.')
    .version(versionOf(), '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(spillway --help lists the commands)')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });

  /** Makes an action that loads a function and calls it with arguments, options, terminal and version. */
  const actionOf =
    (load: () => Promise<(...given: never[]) => number | Promise<number>>) =>
    async (...given: unknown[]): Promise<void> => {
      const act = (await load()) as (...given: unknown[]) => number | Promise<number>;
      exit(await act(...given.slice(0, -1), terminal, versionOf()));
    };

  const command = (name: string, description: string): Command =>
    program.command(name).description(description);

  program.commandsGroup('Files:');
  addPolicyOptions(
    command(
      'compact',
      'Compact a session once and write the messages that would be sent: a request in its own format, a recording in OpenAI chat, or --to another.',
    ).argument(
      '<file>',
      'session: a request or message list of any wire format, or a recording of an agent; detected from the file',
    ),
  )
    .option('--upto <count>', 'take only the first COUNT messages', integer('--upto'))
    .option(
      '--target <pressure>',
      'compact now, down to this pressure, regardless of the gates',
      fraction('--target'),
    )
    .option('--threshold <pressure>', 'only if pressure is at least this', fraction('--threshold'))
    .option(
      '--strategy <names>',
      'compact now with these strategies: prune, drop, summarize, checkpoint; a list with commas',
      names,
    )
    .option('--prompt <prompt>', 'prompt of the summaries: a name in the folder of prompts, or a path')
    .option('--no-summarizer', 'write no summary, regardless of the settings')
    .action(actionOf(async () => (await import('./commands/compact.js')).compact));

  addPolicyOptions(
    command(
      'replay',
      'Play a session message by message as the live agent did, preparing every model call.',
    ).argument('<file>', 'session file'),
  )
    .option(
      '--contexts-at <indexes>',
      'write what the model would have received at these messages: 12,40,77',
      indexes,
    )
    .action(actionOf(async () => (await import('./commands/replay.js')).replay));

  benchCommand(program).action(actionOf(async () => (await import('./commands/bench.js')).bench));

  const validate = command('validate', 'Check a request against the wire rules of a format.')
    .argument('<file>', 'request body or message list')
    .option('--format <name>', 'wire format: detected from the request, or a name', 'auto');
  addShared(validate, 'json').action(actionOf(async () => (await import('./commands/validate.js')).validate));

  program.commandsGroup('Services, stages, packages:');
  const conform = command(
    'conform',
    'Check a plugin, or what a module exports (stage, format, summarizer, store), against the rules of its contract.',
  ).argument('<module>', 'JavaScript file, or a package installed here');
  addShared(conform, 'json').action(actionOf(async () => (await import('./commands/conform.js')).conform));

  addShared(
    command('stages', 'List the stages, where each opens and what its options are.'),
    'profile',
    'json',
  ).action(actionOf(async () => (await import('./commands/settings.js')).stages));

  const serve = command(
    'serve',
    'Run the service: a drop-in proxy for OpenAI- and Anthropic-style clients, and the HTTP API.',
  )
    .option('--host <address>', 'address to listen on; every address except loopback needs tokens')
    .option('--port <port>', 'port to listen on; 0: any free port', integer('--port'))
    .option('--openai <url>', "where requests of OpenAI's interfaces go, /v1 included")
    .option('--anthropic <url>', "where requests of Anthropic's interface go, without /v1")
    .option('--recall <count>', 'how often a model may recall within a call; 0: never', integer('--recall'))
    .option('--commands', 'run a user message that is only /compact as a command')
    .option('--quiet', 'no log lines');
  addShared(serve, 'store', 'model', 'window', 'profile', 'config').action(
    actionOf(async () => (await import('./commands/serve.js')).serve),
  );

  addShared(
    command(
      'mcp',
      'Serve recall and explain to agents as tools of the Model Context Protocol, on stdin and stdout.',
    ),
    'store',
    'profile',
    'config',
  ).action(actionOf(async () => (await import('./commands/mcp.js')).mcp));

  command('init', 'Write a configuration and the prompts, if they are missing, for you to own and edit.')
    .argument('[folder]', 'target folder; existing files stay as they are', '.')
    .action(actionOf(async () => (await import('./commands/new.js')).init));

  command(
    'new',
    'Write a working package to start with: code, README, and a test by the rules of its contract.',
  )
    .argument('<kind>', 'what to create: stage or plugin')
    .argument('<name>', 'name for the roster and for npm')
    .option('--folder <folder>', 'target folder (default: NAME); existing files are never overwritten')
    .action(actionOf(async () => (await import('./commands/new.js')).writeSkeleton));

  program.commandsGroup('Sessions of a store:');
  storedCommands(program, terminal, exit);

  program.commandsGroup('Settings, demonstration:');
  const print = command('config', 'Look at the configuration.')
    .command('print')
    .description('Print every effective setting and where its value came from.')
    .option('--changed', 'only settings that differ from the default');
  addShared(print, 'profile', 'config', 'json').action(
    actionOf(async () => (await import('./commands/settings.js')).printSettings),
  );

  command('demo', 'Watch the bundled session being kept inside a small window.')
    .option('--window <tokens>', 'window in tokens', integer('--window'))
    .option('--serve', 'replay into a running service, and keep it running')
    .action(actionOf(async () => (await import('./commands/demo.js')).demo));
  for (const one of [...program.commands, print])
    one.showHelpAfterError(`(${pathOf(one)} --help says what it takes)`);
  return program;
}

/** The bench command with its arguments and options. */
function benchCommand(program: Command): Command {
  const bench = program
    .command('bench')
    .description('Compare policies on recorded sessions, with the same calls, budget and counter.')
    .argument('<paths...>', 'session files, or folders of them')
    .option(
      '--policies <names>',
      'profiles, files of settings, keep-newest, clear-tools, or modules that compact: staged,keep-newest,./mine.mjs',
      names,
      ['staged', 'keep-newest', 'clear-tools'],
    )
    .option(
      '--peer <adapter>',
      'adapter of another package, run in its own process; repeat for several',
      many(String),
    )
    .option('--windows <tokens>', 'input budgets, separated by commas', windows, [8_000, 32_000])
    .option('--equal', 'compare the others with the first also at the number of tokens that it sends')
    .option('--prices <models>', 'show what the input costs with the prices of these models', names)
    .option('--memory', 'show what each policy keeps of a session; takes longer')
    .option('--format <name>', 'format of the sessions: detected from each file, or a name', 'auto')
    .option('--seed <number>', 'seed of the samples for intervals', integer('--seed'), 1)
    .option('--state <file>', 'keep intermediate results here, and continue from them')
    .option('--report <file>', 'write everything measured as JSON')
    .option('--markdown <file>', 'write the tables as Markdown')
    .option('--html <file>', 'write one self-contained page with charts')
    .option('--exam <folder>', 'ask a model what each context still says: exams for some of the sessions')
    .option('--reader <model>', 'model that reads a context and answers')
    .option('--grader <model>', 'model that grades answers by the key (default: the reader)')
    .option(
      '--endpoint <url>',
      'OpenAI-compatible interface of both, /v1 included (default: OPENAI_BASE_URL)',
    )
    .option('--key <variable>', "environment variable with the endpoint's key", 'OPENAI_API_KEY')
    .option('--replicates <count>', 'readings of each context', integer('--replicates'), 3)
    .option('--check <file>', 'fail if a figure is worse than in this report; times are not compared');
  return addShared(bench, 'config', 'json');
}

/** Adds the options that compact and replay share. */
const addPolicyOptions = (command: Command): Command =>
  addShared(command, 'window', 'model', 'profile', 'config')
    .option('--format <name>', 'input format: detected from the file, or a name', 'auto')
    .option(
      '--to <format>',
      'wire format to write (default: that of the request; openai-chat for a recording)',
    )
    .option('--out <path>', 'write messages here instead of stdout (replay: a folder, for --contexts-at)')
    .option('--report <file>', 'write the report as JSON here')
    .option('--json', 'the report on stderr as JSON');

let version: string | undefined;

/** Cached: a process that runs several commands may have dropped the permission to read the file again. */
function versionOf(): string {
  version ??= (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string })
    .version;
  return version;
}
