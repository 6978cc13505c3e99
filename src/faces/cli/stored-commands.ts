import type { Command } from 'commander';
import type { ACTIONS } from './commands/stored.js';
import type { StoredOptions } from './commands/within.js';
import { each, fraction, shared, whole } from './options.js';
import { EXIT, type Terminal } from './terminal.js';

type Name = keyof typeof ACTIONS;

/** The commands for sessions in a store. Their code is loaded when one of them runs. */
export function storedCommands(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const kept = (name: Name, description: string): Command =>
    shared(program.command(name).description(description), 'store', 'json').action(
      async (...given: unknown[]) => {
        // commander passes the arguments (undefined if omitted), then the options, then the command.
        const names = given.slice(0, -2).filter((one) => typeof one === 'string');
        const { ACTIONS: actions } = await import('./commands/stored.js');
        await actions[name](given.at(-2) as StoredOptions, terminal, names);
        exit(EXIT.done);
      },
    );
  const one = (name: Name, description: string, session = '<session>'): Command =>
    shared(
      kept(name, description)
        .argument(session, 'id of the session')
        .option('--agent <path>', 'which agent of it', 'primary'),
      'window',
      'model',
      'profile',
      'config',
    );

  kept('sessions', 'List the sessions of a store, the newest first.').option(
    '--limit <count>',
    'the newest so many',
    whole('--limit'),
  );
  kept('limits', 'List the limits that refusals of a provider have taught, model by model.').option(
    '--forget [model]',
    'forget what was learned of this model; of all where none is named',
  );
  one('history', 'What was compacted in a session, what operators said of it, and what waits for a yes.')
    .option('--transcript', 'the messages instead, as the model is sent them')
    .option('--include-superseded', 'the messages, those too that the model no longer sees');
  one('undo', 'Take the newest compaction back; its span is left alone from then on.')
    .option('--record <id>', 'this one; refused where later ones build on it')
    .option('--to <id>', 'back to before this one: it and all after it');
  one(
    'rollback',
    'Go back to a message: what came after it is left out, what had been compacted since stands again.',
  ).argument('<message>', 'id of the last message that stays');
  one('release', 'Let go of what undo holds: later compactions may take it again.');
  one('flag', 'Judge a compaction.')
    .argument('<record>', 'id of the compaction')
    .argument('<flag>', 'what you think of it: good, bad or neutral')
    .option('--notes <text>', 'why');
  one('plan', 'Say what a compaction would do, and change nothing.')
    .option('--target <pressure>', 'down to this pressure', fraction('--target'))
    .option('--propose', 'let the plan wait for approve or reject');
  const answer = (name: Name, description: string): Command =>
    one(name, description).argument('[plan]', 'its hash, or the beginning of it');
  answer('approve', 'Commit the plan that waits, exactly as it was shown.');
  answer('edit', 'Change the plan that waits: leave edits out, or give them other words. It waits on.')
    .option('--drop <place>', 'leave this edit out; again for more', each(whole('--drop')))
    .option('--keep <message>', 'leave out what touches this message; again for more', each(String))
    .option('--text <place=file>', 'the words of a file in place of an edit; again for more', each(String));
  answer('reject', 'Drop the plan that waits.').option('--notes <text>', 'why');
  one('explain', 'What a call was sent, message by message, and why; or whether words were in it.')
    .option('--call <number>', 'number of the call, from 1; the newest where absent', whole('--call'))
    .option('--find <text>', 'were these words sent, compacted out, or never said?');
  one(
    'costs',
    'What a session spent, and whether each of its compactions pays; without a session what all of a store spent.',
    '[session]',
  ).option('--calls', 'every call of it too, with what it was sent');
  one('give-back', 'Have the next request carry original words once more; or list what was given back.')
    .argument(
      '[handle]',
      'as it stands in a mark: m12, m12#0, m3..m9; absent: list, and say what the model saw',
    )
    .option('--query <words>', 'only the passages in it that hold these words')
    .option('--max-tokens <count>', 'most tokens of it', whole('--max-tokens'))
    .option('--preview', 'say what it would cost, and do nothing');
  one('recall', 'Read back the original words of anything in the log.')
    .option('--handle <handle>', 'as it stands in a mark: m12, m12#0, m3..m9, "m4, m69", m80@1200')
    .option('--query <words>', 'words to search for')
    .option('--limit <count>', 'most passages', whole('--limit'))
    .option('--max-tokens <count>', 'most tokens of the answer', whole('--max-tokens'));
}
