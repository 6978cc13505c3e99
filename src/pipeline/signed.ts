import type { TranscriptView, ViewExchange } from '../spi/index.js';
import {
  spanHandle,
  type CompactionRecord,
  type Edit,
  type PlannedEdit,
  type ReadonlyLog,
  type ReasoningOutcome,
  type Replace,
  type Supersede,
} from '../transcript/index.js';
import type { Draft } from './draft.js';
import type { GuardRights } from './guard.js';
import { openLoopFrom } from './open-loop.js';
import type { ReasoningRule } from './reasoning-rule.js';

/** What invalidates signatures may be taken out of pins and holds too: the provider would refuse the whole request. */
export const SIGNATURE_RIGHTS: GuardRights = { mayCut: () => false, mayStrip: true };

/** A place in the log that a change begins at, or that a thought stands at. */
interface Place {
  readonly seq: number;
  readonly part: number;
}

interface Thought extends Place {
  readonly exchange: ViewExchange;
  readonly messageId: string;
}

/** What earlier batches left standing though they changed what stood before it: the loop it belongs to was open. */
export interface LeftStanding {
  readonly from: Place;
  /** Log positions from here on came after that batch. */
  readonly until: number;
}

interface Folded {
  readonly upTo: number;
  readonly left: readonly LeftStanding[];
}

/** By list of records, how far it was read: it is asked before every call, and only ever grows. */
const folded = new WeakMap<readonly CompactionRecord[], Folded>();

/**
 * What still stands, from the records of one ledger: a batch that left nothing behind its place has settled that.
 * Costs the records that are new; a ledger in which one was changed hands out another list.
 */
export function leftStanding(records: readonly CompactionRecord[]): readonly LeftStanding[] {
  const known = folded.get(records);
  if (known?.upTo === records.length) return known.left;
  let { left } = known ?? { left: [] };
  for (const { status, plan } of records.slice(known?.upTo ?? 0)) {
    if (status !== 'committed' || !plan.reasoning) continue;
    const { from, kept } = plan.reasoning;
    if (kept > 0) left = [...left, { from, until: plan.inputs.logLength }];
    else left = left.filter((one) => isBehind(from, one.from));
  }
  folded.set(records, { upTo: records.length, left });
  return left;
}

/** What this step needs of a run. */
export interface SignatureInput {
  readonly source: { readonly log: ReadonlyLog };
  readonly policy: { readonly reasoning?: ReasoningRule };
  readonly count: (text: string) => number;
  readonly left?: readonly LeftStanding[];
}

/** Whether the rule takes anything out at all. */
const settles = ({ binding, choice }: ReasoningRule): boolean => binding === 'prefix' && choice !== 'keep';

/**
 * Last step of a batch: what to do about signed reasoning that stands behind the earliest change. It happens in the
 * batch that invalidates it, so it happens once. The reasoning of an open tool loop is never touched; what it leaves
 * standing is settled when the loop is over. What was chosen and why goes into the draft, for the record. `earlier`:
 * edits of the same batch that the draft began with.
 */
export function settleSignatures(
  draft: Draft,
  { source: { log }, policy, count, left = [] }: SignatureInput,
  earlier: readonly PlannedEdit[] = [],
): void {
  const rule = policy.reasoning;
  if (!rule) return;
  const open = openLoopFrom(log);
  const isStale = settles(rule) && staleIn(draft.view, left, open).length > 0;
  const from = firstOf([
    ...places([...earlier, ...draft.edits], log),
    ...(isStale ? left.map((one) => one.from) : []),
  ]);
  if (!from) return;
  const behind = signedBehind(draft.view, from);
  if (behind.length === 0) return;
  const { choice, why } = rule;
  const finished = behind.filter(({ seq }) => seq < open);
  if (settles(rule) && finished.length > 0) {
    draft.step(
      'signatures',
      0,
      (view) => (choice === 'strip' ? finished.map(strip) : summarise(view, finished, log, count)),
      SIGNATURE_RIGHTS,
    );
  }
  const kept = signedBehind(draft.view, from).length;
  const settled = behind.length - kept;
  const openNote = settles(rule) && kept > 0 ? '; the open tool loop keeps its reasoning' : '';
  const { seq, part } = from;
  draft.reasoning = {
    choice: settled > 0 ? choice : 'keep',
    settled,
    kept,
    why: `${why}${openNote}`,
    from: { seq, part },
  };
}

/** Whether a tool loop is over that an earlier batch had left its reasoning: it is then settled without waiting. */
export function signaturesAreDue(view: TranscriptView, input: SignatureInput): boolean {
  const { policy, source, left = [] } = input;
  if (!policy.reasoning || left.length === 0 || !settles(policy.reasoning)) return false;
  return staleIn(view, left, openLoopFrom(source.log)).length > 0;
}

function staleIn(view: TranscriptView, left: readonly LeftStanding[], open: number): Thought[] {
  const [first, ...more] = left;
  if (!first) return [];
  const from = firstOf([first.from, ...more.map((one) => one.from)])!;
  return signedBehind(view, from).filter(
    (thought) =>
      thought.seq < open &&
      left.some(({ from: place, until }) => thought.seq < until && isBehind(thought, place)),
  );
}

/** What two halves of one batch did, as one. */
export function joinReasoning(
  first: ReasoningOutcome | undefined,
  second: ReasoningOutcome | undefined,
): ReasoningOutcome | undefined {
  if (!first || !second) return second ?? first;
  const { choice, why } = first.settled > 0 ? first : second;
  const from = isBehind(first.from, second.from) ? second.from : first.from;
  return { choice, why, from, settled: first.settled + second.settled, kept: second.kept };
}

/** Where edits begin to differ from what was sent before. */
function places(edits: readonly PlannedEdit[], log: ReadonlyLog): Place[] {
  return edits.map((edit) =>
    edit.kind === 'replace'
      ? { seq: log.find(edit.messageId)!.seq, part: edit.partIndex }
      : { seq: log.find(edit.fromId)!.seq, part: -1 },
  );
}

function firstOf(all: readonly Place[]): Place | undefined {
  let first: Place | undefined;
  for (const place of all) if (!first || isBehind(first, place)) first = place;
  return first && { seq: first.seq, part: first.part };
}

function isBehind(a: Place, b: Place): boolean {
  return a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
}

/** Signed thoughts that still stand behind a place, in order. */
function signedBehind(view: TranscriptView, change: Place): Thought[] {
  const thoughts: Thought[] = [];
  for (const exchange of view.exchanges) {
    if (exchange.to < change.seq) continue;
    for (const { source, replaced } of exchange.messages) {
      if (!source || source.seq < change.seq) continue;
      for (const [at, part] of source.parts.entries()) {
        if (part.type !== 'reasoning' || part.signature === undefined || replaced?.has(at)) continue;
        const thought = { exchange, messageId: source.id, seq: source.seq, part: at };
        if (!isBehind(change, thought)) thoughts.push(thought);
      }
    }
  }
  return thoughts;
}

function strip({ messageId, part }: Thought): Replace {
  const reason = 'signed reasoning behind a change: its signature no longer holds';
  return { kind: 'replace', messageId, partIndex: part, content: [], reason };
}

/** A summary of steps takes at most this much of what they took; what would not be that short is stripped instead. */
const MOST_OF_RUN = 0.5;

/** Runs of neighbouring steps go whole, each for an outline of what was said and done in it; pins and holds are stripped. */
function summarise(
  view: TranscriptView,
  thoughts: readonly Thought[],
  log: ReadonlyLog,
  count: (text: string) => number,
): Edit[] {
  const runs: ViewExchange[][] = [];
  for (const exchange of new Set(thoughts.map((thought) => thought.exchange))) {
    if (exchange.protection || exchange.unseen || reachesOver(exchange, log)) continue;
    const run = runs.at(-1);
    if (run && run.at(-1)!.index === exchange.index - 1) run.push(exchange);
    else runs.push([exchange]);
  }
  const gone = new Set<ViewExchange>();
  const edits = runs.flatMap((run): Edit[] => {
    const edit = outlined(view, run, count);
    if (edit) for (const exchange of run) gone.add(exchange);
    return edit ? [edit] : [];
  });
  return [...edits, ...thoughts.filter(({ exchange }) => !gone.has(exchange)).map(strip)];
}

/** Somebody spoke between a call and its result: a span of it would split the other one. */
function reachesOver({ from, to }: ViewExchange, log: ReadonlyLog): boolean {
  return log.exchangeOf(from).seqs.length !== to - from + 1;
}

function outlined(
  view: TranscriptView,
  run: readonly ViewExchange[],
  count: (text: string) => number,
): Supersede | undefined {
  const [first, last] = [run[0]!, run.at(-1)!];
  const tokens = run.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const handle = spanHandle(first.fromId, last.toId);
  const maxTokens = Math.floor(MOST_OF_RUN * tokens);
  const { text, tokens: taken } = view.digest({ from: first.from, to: last.to, handle, maxTokens, count });
  if (taken > maxTokens) return undefined;
  return {
    kind: 'supersede',
    fromId: first.fromId,
    toId: last.toId,
    replacement: [
      {
        id: `summary:${handle}`,
        role: 'assistant',
        origin: 'synthetic',
        label: 'summary',
        parts: [{ type: 'text', text }],
      },
    ],
    reason: 'steps with signed reasoning behind a change: they go whole',
  };
}
