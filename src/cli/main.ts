import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { SpillwayError } from '../errors/index.js';
import { packageFolder } from '../package-folder.js';
import { EXIT, exitCodeOf } from './exit.js';
import { fraction, indexes, names, usage, whole, windows } from './option-values.js';
import { storedCommands } from './stored-commands.js';
import { createTerminal, type Terminal } from './terminal.js';
import { visible } from './visible.js';

/** Runs one command line and says with which code the process should end. Never throws. */
export async function main(argv: readonly string[], terminal: Terminal = createTerminal()): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(terminal, (exit) => (code = exit));
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.inputAtFault;
    const message = error instanceof SpillwayError ? error.message : `INTERNAL: ${stackOf(error)}`;
    terminal.note(visible(message));
    return exitCodeOf(error);
  }
}

/** Commands load their code when they run: starting up must not cost what is not used. */
export function createProgram(terminal: Terminal, exit: (code: number) => void): Command {
  const program = new Command('spillway')
    .description('Keeps LLM agent sessions inside their window: six stages that open as pressure rises.')
    .version(versionOf(), '-V, --version', 'say which version this is')
    .exitOverride()
    .showHelpAfterError('(spillway --help lists the commands)')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });

  program.commandsGroup('Files:');
  policyOptions(
    program
      .command('compact')
      .description(
        'Compact a session once and write the messages that would be sent: a request in its own format, a recording in OpenAI chat, or --to another.',
      )
      .argument(
        '<file>',
        'session: a request or message list of any wire format, or what an agent recorded; told from the file',
      ),
  )
    .option('--upto <count>', 'take only the first COUNT messages', whole('--upto'))
    .option(
      '--target <pressure>',
      'compact now, down to this pressure, whatever the gates say',
      fraction('--target'),
    )
    .option('--threshold <pressure>', 'only where pressure is at least this', fraction('--threshold'))
    .option(
      '--strategy <names>',
      'compact now by these: prune, drop, summarize, checkpoint; a list with commas',
      names,
    )
    .option('--prompt <prompt>', 'prompt of the summaries: a name in the folder of prompts, or a path')
    .option('--no-summarizer', 'write no summary, whatever the settings say')
    .action(async (file: string, options) => {
      const { compact } = await import('./commands/compact.js');
      exit(await compact(file, options, terminal));
    });

  policyOptions(
    program
      .command('replay')
      .description('Play a session message by message as the live agent did, preparing every model call.')
      .argument('<files...>', 'session file; several with --compare'),
  )
    .option(
      '--compare <policies>',
      'hold profiles or profile files against each other, side by side: staged,agent,mine.yaml',
      names,
    )
    .option('--html <file>', 'with --compare: one page with tables and charts')
    .option(
      '--contexts-at <indexes>',
      'write what the model would have been sent for these messages: 12,40,77',
      indexes('--contexts-at'),
    )
    .action(async (files: string[], options) => {
      if (options.compare !== undefined) {
        const { compare } = await import('./commands/compare.js');
        return exit(await compare(files, options, terminal));
      }
      const [file = '', ...more] = files;
      if (more.length > 0) throw usage('replay', files.join(' '), 'one file, or several with --compare');
      const { replay } = await import('./commands/replay.js');
      exit(await replay(file, options, terminal));
    });

  program
    .command('bench')
    .description('Hold policies against each other on recorded sessions: the same calls, budget and count.')
    .argument('<paths...>', 'session files, or folders of them')
    .option(
      '--policies <names>',
      'profiles, files of settings, keep-newest, clear-tools, or modules that compact: staged,keep-newest,./mine.mjs',
      names,
      ['staged', 'keep-newest', 'clear-tools'],
    )
    .option('--windows <tokens>', 'input budgets, with commas between them', windows, [8_000, 32_000])
    .option('--config <file>', 'configuration file')
    .option('--format <name>', 'format of the sessions: told from each file, or a name', 'auto')
    .option('--report <file>', 'write everything measured as JSON')
    .option('--json', 'machine output')
    .action(async (paths: string[], options) => {
      const { bench } = await import('./commands/bench.js');
      exit(await bench(paths, options, terminal));
    });

  program
    .command('validate')
    .description('Check a request against the wire rules of a format.')
    .argument('<file>', 'request body or message list')
    .option('--format <name>', 'wire format: told from the request, or a name', 'auto')
    .option('--json', 'machine output')
    .action(async (file: string, options) => {
      const { validate } = await import('./commands/validate.js');
      exit(await validate(file, options, terminal));
    });

  program.commandsGroup('Services, stages, packages:');
  program
    .command('conform')
    .description('Put what a module exports (stage, format, summarizer, store) to the rules of its contract.')
    .argument('<module>', 'JavaScript file, or a package installed here')
    .option('--json', 'machine output')
    .action(async (module: string, options) => {
      const { conform } = await import('./commands/conform.js');
      exit(await conform(module, options, terminal));
    });

  program
    .command('stages')
    .description('List the stages, where each opens and what its options are.')
    .option('--profile <profile>', 'profile name or file')
    .option('--json', 'machine output')
    .action(async (options) => {
      const { stages } = await import('./commands/stages.js');
      exit(await stages(options, terminal));
    });

  program
    .command('serve')
    .description(
      'Run the service: a drop-in proxy for OpenAI- and Anthropic-style clients, and the HTTP API.',
    )
    .option('--host <address>', 'address to listen on; others than loopback need tokens')
    .option('--port <port>', 'port to listen on; 0: any that is free', whole('--port'))
    .option('--store <url>', 'where sessions are kept: sqlite:FILE, postgres://HOST/NAME')
    .option('--openai <url>', "where requests of OpenAI's interfaces go, /v1 included")
    .option('--anthropic <url>', "where requests of Anthropic's interface go, without /v1")
    .option('--model <name>', 'model whose limits apply where a request names none')
    .option('--window <tokens>', 'input budget in tokens; nothing is kept back', whole('--window'))
    .option('--recall <count>', 'times a model may read back within a call; 0: not at all', whole('--recall'))
    .option('--commands', 'obey a user message of nothing but /compact')
    .option('--quiet', 'no log lines')
    .option('--profile <profile>', 'profile name or file')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const { serve } = await import('./commands/serve.js');
      exit(await serve(options, terminal));
    });

  program
    .command('mcp')
    .description(
      'Serve recall and explain to agents as tools of the Model Context Protocol, on stdin and stdout.',
    )
    .option(
      '--store <url>',
      'where sessions are kept: sqlite:FILE, postgres://HOST/NAME (default: the setting store)',
    )
    .option('--profile <profile>', 'profile name or file')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const { mcp } = await import('./commands/mcp.js');
      exit(await mcp(options, versionOf(), terminal));
    });

  program
    .command('init')
    .description('Write a configuration and the prompts where they are missing, for you to own and edit.')
    .argument('[folder]', 'where to; existing files stay as they are', '.')
    .action(async (folder: string) => {
      const { init } = await import('./commands/init.js');
      exit(await init(folder, terminal));
    });

  program
    .command('new')
    .description(
      'Write a working package to begin with: code, README, and a test by the rules of its contract.',
    )
    .argument('<kind>', 'what of: stage, plugin')
    .argument('<name>', 'its name, as the roster and npm will have it')
    .option('--folder <folder>', 'where to (default: a folder of that name); never over a file that is there')
    .action(async (kind: string, name: string, { folder }: { readonly folder?: string }) => {
      const { writeSkeleton } = await import('./commands/new.js');
      exit(await writeSkeleton(kind, name, folder, versionOf(), terminal));
    });

  program.commandsGroup('Sessions of a store:');
  storedCommands(program, terminal, exit, { whole: whole('a number'), fraction: fraction('--target') });

  program.commandsGroup('Settings, demonstration:');
  const config = program.command('config').description('Look at the configuration.');
  config
    .command('print')
    .description('Print every effective setting and where its value came from.')
    .option('--profile <profile>', 'profile name or file')
    .option('--config <file>', 'configuration file')
    .option('--changed', 'only what is not as it is by default')
    .option('--json', 'machine output')
    .action(async (options) => {
      const { printSettings } = await import('./commands/config.js');
      exit(await printSettings(options, terminal));
    });

  program
    .command('demo')
    .description('Watch the bundled session being kept inside a small window.')
    .option('--window <tokens>', 'window in tokens', whole('--window'))
    .option('--fast', 'no pauses between calls')
    .option('--serve', 'replay into a running service, and leave it up')
    .action(async (options) => {
      const { demo } = await import('./commands/demo.js');
      exit(await demo(options, terminal));
    });
  return program;
}

/** What compact and replay have in common. */
function policyOptions(command: Command): Command {
  return command
    .option('--window <tokens>', 'input budget in tokens; nothing is kept back', whole('--window'))
    .option('--model <name>', 'model whose limits apply')
    .option('--profile <profile>', 'profile name or file')
    .option('--config <file>', 'configuration file')
    .option('--format <name>', 'input format: told from the file, or a name', 'auto')
    .option(
      '--to <format>',
      'wire format to write (default: that of the request; openai-chat for a recording)',
    )
    .option('--out <path>', 'write messages here instead of stdout (replay: a folder)')
    .option('--report <file>', 'write the report as JSON here')
    .option('--json', 'the report on stderr as JSON');
}

let version: string | undefined;

/** Read once: a process that runs several commands may have given up the right to read it again. */
function versionOf(): string {
  version ??= (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string })
    .version;
  return version;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
