import {
  forgetLimits,
  learnedLimits,
  listSessions,
  type ExplainedMessage,
  type Flag,
  type LearnedLimit,
  type Session,
} from '../../../index.js';
import * as verbs from '../../operations/index.js';
import type { SessionStore } from '../../../spi/index.js';
import type { CompactionRecord } from '../../../transcript/index.js';
import { usageFault } from '../options.js';
import { EXIT } from '../terminal.js';
import { amount, budgetLine, counted, percent } from '../report/numbers.js';
import { costs, projectCosts } from './costs.js';
import { edit, release } from './edit.js';
import { history, recordLine } from './history.js';
import {
  editLines,
  inSession,
  inStore,
  type Action,
  type Output,
  type StoredOptions,
  type Scope,
} from './session-action.js';

async function sessions(store: SessionStore, { limit }: StoredOptions): Promise<Output> {
  const threads = await listSessions(store, limit === undefined ? {} : { limit });
  const lines = (): string[] =>
    threads.map(({ sessionId, agentPath, head, messages, updatedAt, fault }) => {
      const when = new Date(updatedAt).toISOString();
      const line = `${sessionId}  ${agentPath}  ${counted(messages, 'message')}  ${amount(head.entries)} in the ledger  ${when}`;
      return fault === undefined ? line : `${line}  ${fault}`;
    });
  return { value: threads, lines: () => (threads.length === 0 ? ['no sessions'] : lines()) };
}

const OPEN_HINT =
  'Sessions that a process has open keep it until it ends; DELETE /api/v1/models/NAME reaches those of a service.';

/** Lists the limits that refusals taught, by model; or forgets them, of one model or of all. */
async function limits(store: SessionStore, { forget }: StoredOptions): Promise<Output> {
  if (forget !== undefined) {
    const forgotten = await forgetLimits(store, forget === true ? undefined : forget);
    const lines = [`forgotten: ${counted(forgotten, 'model')}`, OPEN_HINT];
    return { value: { forgotten }, lines: () => (forgotten === 0 ? ['nothing was learned of it'] : lines) };
  }
  const known = await learnedLimits(store);
  return {
    value: known,
    lines: () => (known.length === 0 ? ['no limits were learned'] : known.flatMap(limitLines)),
  };
}

function limitLines({ model, seen, proven }: LearnedLimit): readonly string[] {
  const shared = proven.map(
    (one) => `${figures(one)}, for every session${one.tenant && ` of ${one.tenant}`}`,
  );
  return [
    `${model}  ${shared.join('; ') || 'for the sessions below alone'}`,
    ...seen.map((one) => `  ${one.thread}  ${figures(one)}  ${new Date(one.at).toISOString()}`),
  ];
}

function figures({ contextWindow, inputLimit, reserved }: Partial<LearnedLimit['seen'][number]>): string {
  return [
    ...(contextWindow === undefined ? [] : [`window ${amount(contextWindow)}`]),
    ...(inputLimit === undefined ? [] : [`input ${amount(inputLimit)}`]),
    ...(reserved === undefined ? [] : [`answer ${amount(reserved)}`]),
  ].join(', ');
}

async function undo({ session, options }: Scope): Promise<Output> {
  const { records: undone } = await verbs.undo.run(session, options);
  return {
    value: { undone },
    lines: () => (undone.length === 0 ? ['nothing to undo'] : undoneLines(undone)),
  };
}

async function rollback({ session }: Scope, message: string): Promise<Output> {
  const { records: undone } = await verbs.rollback.run(session, { messageId: message });
  return {
    value: { messages: session.log.length, undone },
    lines: () => [
      `the log ends at ${message} now, ${counted(session.log.length, 'message')}`,
      ...undoneLines(undone),
    ],
  };
}

async function flag({ session, options }: Scope, record: string, value: string): Promise<Output> {
  return recordOutput(await verbs.flag.run(session, { record, flag: value as Flag, notes: options.notes }));
}

async function plan({ session, options: { target, propose } }: Scope): Promise<Output> {
  const run = await session.operator.plan({ ...(target !== undefined && { target }) });
  if (propose && run.kind === 'planned') await session.operator.propose(run.plan!);
  const lines = (): string[] => {
    const { plan: made } = run;
    if (run.kind !== 'planned' || !made) return [`${run.kind}: ${run.reason}`, budgetText(session)];
    const pressures = `${percent(run.before.pressure)} -> ${percent(run.after.pressure)}`;
    return [
      `plan ${made.hash}`,
      `${pressures}  ${amount(made.before.tokens)} -> ${amount(made.after.tokens)} tokens`,
      ...editLines(made),
      ...(propose ? ['waits for approve or reject'] : []),
    ];
  };
  return { value: run, lines, exit: run.kind === 'unreachable' ? EXIT.unreachable : EXIT.done };
}

/** The budget of the settings here, which may differ from the budget of the service that serves the session. */
const budgetText = ({ reading: { pressure, budget } }: Session): string =>
  `pressure ${percent(pressure)} of ${budgetLine(budget)}`;

async function approve({ session }: Scope, hash?: string): Promise<Output> {
  return recordOutput((await verbs.approve.run(session, { hash })).record);
}

async function reject({ session, options }: Scope, hash?: string): Promise<Output> {
  await verbs.reject.run(session, { hash, notes: options.notes });
  return { value: { rejected: true }, lines: () => ['rejected'] };
}

async function explain({ session, options: { find, call: asked } }: Scope): Promise<Output> {
  if (asked === undefined) await session.load();
  const call = asked ?? session.operator.calls.at(-1)?.call ?? 0;
  if (find === undefined) {
    const value = await verbs.explain.run(session, { call });
    return { value, lines: () => value.messages.flatMap(explainedLines) };
  }
  const finding = await verbs.find.run(session, { words: find, call });
  return {
    value: finding,
    lines: () => [
      `${VERDICTS[finding.verdict]}${finding.sentIn.length > 0 ? `: ${finding.sentIn.join(', ')}` : ''}`,
      ...finding.said.flatMap(explainedLines),
    ],
  };
}

async function recall({ session, options }: Scope): Promise<Output> {
  const { items, text } = await verbs.recall.run(session, options);
  return {
    value: items,
    lines: () => [...text.split('\n'), ...(items.length === 0 ? [RECALL_HINT] : [])],
  };
}

const RECALL_HINT =
  'A query looks in what has left the request: `spillway explain SESSION --find WORDS` looks everywhere.';

async function giveBack({ session, options }: Scope, handle?: string): Promise<Output> {
  const { preview = false } = options;
  if (handle === undefined) {
    const { items: given } = await verbs.givenBack.run(session, {});
    const lines = given.map(({ handle: what, state, tokens, call }) => {
      const where = call === undefined ? '' : `  call ${call}`;
      return `${state.padEnd(8)}  ${what}  ${amount(tokens)} tokens${where}`;
    });
    return { value: given, lines: () => (given.length === 0 ? ['nothing was given back'] : lines) };
  }
  const words = await verbs.giveBack.run(session, { ...options, handle, dryRun: preview });
  const { tokens, share, cost, room, fits, compacts, inView } = words;
  const price = cost === null ? 'price not known' : `$${cost.toFixed(4)} for the next call`;
  return {
    value: words,
    lines: () => [
      `${amount(tokens)} tokens, ${percent(share)} of the budget, ${price}; there is room for ${amount(room)}`,
      ...(fits ? [] : ['does not fit: give back less of it, with --max-tokens or --query']),
      ...(compacts ? ['the next request is compacted first'] : []),
      ...(inView ? ['it is sent already'] : []),
      ...(preview ? words.text.split('\n') : ['waits for the next request']),
    ],
  };
}

function checkRecallOptions({ handle, query }: StoredOptions): void {
  const allowed = '--handle as a mark shows it, or --query with words to search for';
  if (handle === undefined && query === undefined)
    throw usageFault('recall', 'neither --handle nor --query', allowed);
}

/** The actions of the commands for stored sessions, by name. */
export const ACTIONS = {
  sessions: inStore(sessions),
  limits: inStore(limits),
  history: inSession(history),
  undo: inSession(undo),
  rollback: inSession(rollback),
  release: inSession(release),
  flag: inSession(flag),
  plan: inSession(plan),
  approve: inSession(approve),
  edit: inSession(edit),
  reject: inSession(reject),
  explain: inSession(explain),
  costs: (options, terminal, names) =>
    (names.length === 0 ? projectCosts : inSession(costs))(options, terminal, names),
  'give-back': inSession(giveBack),
  recall: inSession(recall, checkRecallOptions),
} satisfies Readonly<Record<string, Action>>;

const VERDICTS = {
  sent: 'sent: the model had these words',
  'compacted-out': 'compacted out: these words had been said and were not in the request',
  later: 'later: these words were said after that call',
  never: 'never: these words are not in the log',
} as const;

function recordOutput(record: CompactionRecord): Output {
  return { value: record, lines: () => [recordLine(record)] };
}

const undoneLines = (undone: readonly CompactionRecord[]): readonly string[] =>
  undone.map((one) => `undone: ${recordLine(one)}`);

function explainedLines(one: ExplainedMessage): readonly string[] {
  const tokens = `${amount(one.tokensBefore)} -> ${amount(one.tokensAfter)} tokens`;
  const by = one.by ? `  ${one.by.stage}: ${one.by.reason}` : '';
  return [`${one.status.padEnd(11)} ${one.id}  ${tokens}${one.record ? `  ${one.record}` : ''}${by}`];
}
