import { outlineSpan } from '../outline/index.js';
import type { TranscriptView, ViewExchange } from '../spi/index.js';
import {
  spanHandle,
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

/** What this step needs of a run. */
export interface SignatureInput {
  readonly source: { readonly log: ReadonlyLog };
  readonly policy: { readonly reasoning?: ReasoningRule };
  readonly count: (text: string) => number;
}

/**
 * Last step of a batch: what to do about signed reasoning that stands behind the earliest change. It happens in the
 * batch that invalidates it, so it happens once; later batches find nothing signed behind their own change but what the
 * model thought since. The reasoning of an open tool loop is never touched. What was chosen and why goes into the draft,
 * for the record. `earlier`: edits of the same batch that the draft began with.
 */
export function settleSignatures(
  draft: Draft,
  { source: { log }, policy, count }: SignatureInput,
  earlier: readonly PlannedEdit[] = [],
): void {
  const rule = policy.reasoning;
  const change = rule && firstChange([...earlier, ...draft.edits], log);
  if (!change) return;
  const behind = signedBehind(draft.view, change);
  if (behind.length === 0) return;
  const { binding, choice, why } = rule;
  const open = openLoopFrom(log);
  const finished = behind.filter(({ seq }) => seq < open);
  const settle = binding === 'prefix' && choice !== 'keep';
  if (settle && finished.length > 0) {
    draft.step(
      'signatures',
      0,
      (view) => (choice === 'strip' ? finished.map(strip) : summarise(view, finished, log, count)),
      SIGNATURE_RIGHTS,
    );
  }
  const kept = signedBehind(draft.view, change).length;
  const settled = behind.length - kept;
  const openNote = settle && kept > 0 ? '; the open tool loop keeps its reasoning' : '';
  draft.reasoning = { choice: settled > 0 ? choice : 'keep', settled, kept, why: `${why}${openNote}` };
}

/** What two halves of one batch did, as one. */
export function joinReasoning(
  first: ReasoningOutcome | undefined,
  second: ReasoningOutcome | undefined,
): ReasoningOutcome | undefined {
  if (!first || !second) return second ?? first;
  const { choice, why } = first.settled > 0 ? first : second;
  return { choice, why, settled: first.settled + second.settled, kept: second.kept };
}

/** Where the view first differs from what was sent before. */
function firstChange(edits: readonly PlannedEdit[], log: ReadonlyLog): Place | undefined {
  let first: Place | undefined;
  for (const edit of edits) {
    const place: Place =
      edit.kind === 'replace'
        ? { seq: log.find(edit.messageId)!.seq, part: edit.partIndex }
        : { seq: log.find(edit.fromId)!.seq, part: -1 };
    if (!first || isBehind(first, place)) first = place;
  }
  return first;
}

function isBehind(a: Place, b: Place): boolean {
  return a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
}

/** Signed thoughts that still stand behind a place, in order. */
function signedBehind(view: TranscriptView, change: Place): Thought[] {
  return view.exchanges.flatMap((exchange) =>
    exchange.messages.flatMap(({ source, replaced }) => {
      if (!source || source.seq < change.seq) return [];
      return source.parts.flatMap((part, at): Thought[] => {
        if (part.type !== 'reasoning' || part.signature === undefined || replaced?.has(at)) return [];
        const thought = { exchange, messageId: source.id, seq: source.seq, part: at };
        return isBehind(thought, change) ? [thought] : [];
      });
    }),
  );
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
  const { text, tokens: taken } = outlineSpan(view.originals(first.from, last.to), {
    maxTokens,
    count,
    handle,
  });
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
