import { resolve } from 'node:path';
import { findPlugin, type LoadedPlugin } from '../../plugins/index.js';
import { isError, isWrite } from '../frozen.js';
import { isPlain } from '../plain.js';
import { RuleBroken, type ContractRule, type Exercise } from '../rule.js';
import { checkAborting } from './aborting.js';
import { demandKnobs } from './knobs.js';
import { readList, type ListFault } from './lists.js';
import type { HookName } from './recorder.js';
import { loadedFor, type PluginSubject } from './subject.js';
import { sweepOf, type Sweep } from './sweep.js';

/** What a plugin is held to. A session lives through whatever it does; the rules say beforehand what would be told then. */
export const PLUGIN_RULES: readonly ContractRule<PluginSubject>[] = [
  {
    id: 'PLUGIN-01',
    intent:
      'has a manifest that can be read before any of its code is run: its name, roles, and what it brings',
    check: ({ folder }) => {
      if (folder === undefined) return { notExercised: 'it was not given as a package' };
      findPlugin({ named: resolve(folder), from: '.' });
    },
  },
  {
    id: 'PLUGIN-02',
    intent:
      'exports what its manifest says, in its time: an object, or a function that makes one for each engine',
    check: async (subject) => {
      const { folder, plugin } = subject;
      const one = await loadedFor(subject);
      const isMade = folder === undefined && typeof plugin === 'function';
      const other = isMade ? await loadedFor(subject) : undefined;
      for (const role of ['observer', 'compactor'] as const)
        if (other && one[role] && one[role] === other[role])
          throw new RuleBroken(`its function gives the same ${role} to every engine`);
    },
  },
  {
    id: 'PLUGIN-03',
    intent:
      'has knobs that parse from nothing, each with a description and what it may be, and refuses any that it does not know',
    check: async (subject) => {
      const { knobs } = await loaded(subject);
      if (!knobs) return { notExercised: 'it has no knobs' };
      demandKnobs(knobs);
    },
  },
  rule(
    'PLUGIN-04',
    'opens for one engine after the other and closes behind each, in its time',
    ({ closings }) =>
      closings.flatMap((closing) => {
        if ('threw' in closing) return [`close() threw ${wordsFor(closing.threw)}`];
        return closing.ended ? [] : ['close() has not settled in its time'];
      }),
    ({ plugin }) =>
      plugin?.open || plugin?.close ? undefined : { notExercised: 'it has neither open() nor close()' },
  ),
  rule(
    'PLUGIN-05',
    'answers before a compaction with nothing, or with skip, retain and inject as they may be',
    (sweep) => saidWrong(sweep, 'pre_compact', /^answered/),
    (sweep) => called(sweep, 'pre_compact'),
  ),
  rule(
    'PLUGIN-06',
    'retains messages in view and injects text, both within their shares',
    (sweep) => saidWrong(sweep, 'pre_compact', /^(retains|injects)/),
    ({ calls }) =>
      calls.some(({ hook, answer }) => hook === 'pre_compact' && asks(answer))
        ? undefined
        : {
            notExercised:
              'it retained and injected nothing; give knobs under which it does (`conform.knobs`)',
          },
  ),
  rule(
    'PLUGIN-07',
    'writes to nothing that it is told: events are frozen',
    ({ calls }) =>
      calls
        .filter(({ threw, wasWritten }) => wasWritten || isWrite(threw))
        .map(({ hook, where, threw }) => `${where}: ${hook} ${wordsFor(threw) ?? 'changed its event'}`),
    (sweep) => called(sweep),
  ),
  rule(
    'PLUGIN-08',
    'throws in no hook, whatever session it is shown',
    ({ calls }) =>
      calls
        .filter((call) => 'threw' in call && !isWrite(call.threw))
        .map(({ hook, where, threw }) => `${where}: ${hook} threw ${wordsFor(threw)}`),
    (sweep) => called(sweep),
  ),
  rule(
    'PLUGIN-09',
    'settles in each hook before its deadline',
    ({ lines }) =>
      lines
        .filter(({ outcome }) => outcome === 'late')
        .map(({ hook, where, message }) => `${where}: ${hook} ${message}`),
    (sweep) => called(sweep),
  ),
  {
    id: 'PLUGIN-10',
    intent: 'gives up when its signal aborts while the model has not answered: a deadline must hold',
    check: async (subject) => {
      const sweep = await sweptWell(subject);
      return checkAborting(subject, sweep);
    },
  },
  rule(
    'PLUGIN-11',
    'keeps only plain JSON among its values, which survives a restart',
    ({ values }) => {
      const odd = values.filter(
        ({ key, value }) => typeof key !== 'string' || (value !== undefined && !isPlain(value)),
      );
      return odd.map(({ key }) => `what it set as ${String(key)} is not plain JSON`);
    },
    ({ values }) => (values.length > 0 ? undefined : { notExercised: 'it set no value' }),
  ),
  listRule('PLUGIN-12', 'as a compactor returns a list: what stays by its id, and what it wrote', 'list'),
  listRule('PLUGIN-13', 'as a compactor keeps a call and its results together, or leaves both out', 'parted'),
  listRule('PLUGIN-14', 'as a compactor keeps the order, and names nothing twice', 'order'),
  listRule(
    'PLUGIN-15',
    'as a compactor leaves in place what is open, held, unanswered or not yet sent',
    'fixed',
  ),
  listRule('PLUGIN-16', 'as a compactor writes less than what left where it writes', 'grows'),
  listRule(
    'PLUGIN-17',
    'as a compactor says in superseded what left, where it says so at all',
    'superseded',
    (sweep) =>
      sweep.calls.some(({ answer }) => (answer as { superseded?: unknown } | undefined)?.superseded)
        ? undefined
        : (acts(sweep) ?? { notExercised: 'it returned no superseded' }),
  ),
  rule(
    'PLUGIN-18',
    'as a compactor gives lists that are taken over: one that is not costs the oldest messages',
    (sweep) => saidWrong(sweep, 'compact', /./),
    (sweep) => acts(sweep),
  ),
  rule(
    'PLUGIN-19',
    'lets sessions live through compaction after compaction: the log is whole, requests are legal, none grows',
    ({ broken }) => broken,
    (sweep) => called(sweep),
  ),
];

async function loaded(subject: PluginSubject): Promise<LoadedPlugin> {
  const { plugin, fault } = await sweepOf(subject);
  if (plugin) return plugin;
  throw new RuleBroken(fault ?? 'it could not be loaded');
}

async function sweptWell(subject: PluginSubject): Promise<Sweep> {
  const sweep = await sweepOf(subject);
  if (sweep.fault !== undefined) throw new RuleBroken(sweep.fault);
  return sweep;
}

function rule(
  id: string,
  intent: string,
  seen: (sweep: Sweep) => readonly string[],
  exercise: (sweep: Sweep) => Exercise,
): ContractRule<PluginSubject> {
  return {
    id,
    intent,
    check: async (subject) => {
      const sweep = await sweptWell(subject);
      const [first, ...more] = seen(sweep);
      if (first !== undefined) throw new RuleBroken(`${more.length + 1} times, first: ${first}`);
      return exercise(sweep);
    },
  };
}

function listRule(
  id: string,
  intent: string,
  breaks: ListFault,
  exercise: (sweep: Sweep) => Exercise = acts,
): ContractRule<PluginSubject> {
  return rule(
    id,
    intent,
    (sweep) =>
      listsOf(sweep).flatMap(({ where, read }) =>
        read.faults.filter((one) => one.breaks === breaks).map(({ what }) => `${where}: ${what}`),
      ),
    exercise,
  );
}

const listsOf = ({ calls }: Sweep) =>
  calls
    .filter((call) => call.hook === 'compact' && 'answer' in call)
    .map(({ event, answer, where }) => ({ where, read: readList(event as never, answer) }));

function acts(sweep: Sweep): Exercise {
  if (listsOf(sweep).some(({ read }) => read.acts)) return undefined;
  return {
    notExercised: sweep.plugin?.compactor
      ? 'no list of its left anything out; give knobs under which one does (`conform.knobs`)'
      : 'it is no compactor',
  };
}

function called({ calls }: Sweep, hook?: HookName): Exercise {
  if (calls.some((call) => hook === undefined || call.hook === hook)) return undefined;
  return { notExercised: hook === undefined ? 'it has no hooks' : `it has no ${hook} hook` };
}

const saidWrong = ({ lines }: Sweep, hook: HookName, words: RegExp): string[] =>
  lines
    .filter((line) => line.hook === hook && line.outcome === 'wrong' && words.test(line.message ?? ''))
    .map(({ where, message }) => `${where}: ${message}`);

function asks(answer: unknown): boolean {
  const { retain = [], inject = [] } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return [retain].flat().length > 0 || [inject].flat().some((text) => text !== '');
}

const wordsFor = (thrown: unknown): string | undefined =>
  thrown === undefined ? undefined : isError(thrown) ? thrown.message : String(thrown);
