import type { Command } from 'commander';
import type { ACTIONS } from './commands/stored.js';
import type { StoredOptions } from './commands/session-action.js';
import { count, many, fraction, addShared, integer } from './options.js';
import type { Terminal } from './terminal.js';

type Name = keyof typeof ACTIONS;

/** The commands for sessions in a store. Their code is loaded when one of them runs. */
export function storedCommands(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const inStore = (name: Name, description: string): Command =>
    addShared(program.command(name).description(description), 'store', 'json').action(
      async (...given: unknown[]) => {
        // commander passes the arguments (undefined if omitted), then the options, then the command.
        const names = given.slice(0, -2).filter((one) => typeof one === 'string');
        const { ACTIONS: actions } = await import('./commands/stored.js');
        exit(await actions[name](given.at(-2) as StoredOptions, terminal, names));
      },
    );
  const add = (name: Name, description: string, session = '<session>'): Command =>
    addShared(
      inStore(name, description)
        .argument(session, 'id of the session')
        .option('--agent <path>', 'agent path within the session', 'primary'),
      'window',
      'model',
      'profile',
      'config',
    );

  inStore('sessions', 'List the sessions of a store, the newest first.').option(
    '--limit <count>',
    'the newest so many',
    integer('--limit'),
  );
  inStore('limits', 'List the limits learned from refusals of a provider, model by model.').option(
    '--forget [model]',
    'forget the limits learned for this model; for all models if none is named',
  );
  add('history', 'Show the compactions of a session, how operators judged them, and what waits for approval.')
    .option('--transcript', 'print the messages instead, as the model gets them')
    .option('--include-superseded', 'print the messages, including those that the model no longer sees');
  add('undo', 'Undo the newest compaction; its span is held from then on.')
    .option('--record <id>', 'undo this one; refused if later ones build on it')
    .option('--to <id>', 'undo this one and all after it');
  add(
    'rollback',
    'Go back to a message: later messages are left out, and later compactions are undone.',
  ).argument('<message>', 'id of the last message that stays');
  add('release', 'Release what undo holds, so that later compactions may take it again.');
  add('flag', 'Rate a compaction.')
    .argument('<record>', 'id of the compaction')
    .argument('<flag>', 'your judgement: good, bad or neutral')
    .option('--notes <text>', 'why');
  add('plan', 'Show what a compaction would do, and change nothing.')
    .option('--target <pressure>', 'down to this pressure', fraction('--target'))
    .option('--propose', 'let the plan wait for `approve` or `reject`');
  const onPlan = (name: Name, description: string): Command =>
    add(name, description).argument('[plan]', 'hash of the plan, or the beginning of it');
  onPlan('approve', 'Commit the plan that waits, exactly as it was shown.');
  onPlan('edit', 'Change the plan that waits: leave out edits, or replace their words. It keeps waiting.')
    .option('--drop <place>', 'leave out this edit; repeat for several', many(integer('--drop')))
    .option('--keep <message>', 'leave out edits that touch this message; repeat for several', many(String))
    .option('--text <place=file>', 'replace an edit by a file; repeat for several', many(String));
  onPlan('reject', 'Drop the plan that waits.').option('--notes <text>', 'why');
  add('explain', 'Show what a call sent, message by message, and why; or whether it held some words.')
    .option('--call <number>', 'number of the call, from 1; absent: the newest', count('--call'))
    .option('--find <text>', 'check whether these words were sent, compacted, or never in the log');
  add(
    'costs',
    'Show what a session spent, and whether each of its compactions pays; without a session, the spending of all sessions.',
    '[session]',
  ).option('--calls', 'include every call, with what it sent');
  add('give-back', 'Put original words into the next request once more; or list what was given back.')
    .argument(
      '[handle]',
      'handle as marks show it: m12, m12#0, m3..m9; absent: list what was given back, and what the model saw',
    )
    .option('--query <words>', 'only the passages that hold these words')
    .option('--max-tokens <count>', 'most tokens of it', integer('--max-tokens'))
    .option('--preview', 'show what it would cost, and do nothing');
  add('recall', 'Read back the original words of anything in the log.')
    .option('--handle <handle>', 'handle as marks show it: m12, m12#0, m3..m9, "m4, m69", m80@1200')
    .option('--query <words>', 'words to search for')
    .option('--limit <count>', 'most passages', integer('--limit'))
    .option('--max-tokens <count>', 'most tokens of the answer', integer('--max-tokens'));
}
