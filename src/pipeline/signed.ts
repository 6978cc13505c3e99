import { runsOf, summaryMessage, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import {
  atOnce,
  endsOf,
  isSigned,
  spanHandle,
  type Edit,
  type PlannedEdit,
  type ReadonlyLog,
  type ReasoningOutcome,
  type Replace,
  type Steps,
  type Supersede,
} from '../transcript/index.js';
import type { RunDraft } from './draft.js';
import type { GuardRights } from './guard.js';
import { openLoopFrom, removesInvalid, type ReasoningRule } from './reasoning-rule.js';
import { PIPELINE_STEPS } from './policy.js';

/** Invalid signatures may be removed from pins and holds too: otherwise the provider would refuse the whole request. */
const SIGNATURE_RIGHTS: GuardRights = { mayStrip: true };

/** The start of a change, or the place of a signed thought, in the log. */
interface Place {
  readonly seq: number;
  readonly part: number;
}

interface Thought extends Place {
  readonly exchange: ViewExchange;
  readonly messageId: string;
}

/**
 * Last step of a batch: treats signed reasoning after the earliest change. It is part of the batch that invalidates the
 * signatures, so it happens once, and in an open tool loop too, because a provider refuses invalid signatures there as
 * well. The choice and its reason are noted in the draft for the record. `earlier`: edits of the same batch that the
 * draft already contains.
 */
export function* applyReasoningRule(draft: RunDraft, earlier: readonly PlannedEdit[] = []): Steps<void> {
  const rule = draft.input.policy.reasoning;
  const { log } = draft.input.source;
  const from = firstChange([...earlier, ...draft.edits], log);
  if (!rule || !from) return;
  const invalid = signedAfter(draft.view, from);
  if (invalid.length === 0) return;
  if (removesInvalid(rule)) yield* settle(draft, rule, invalid);
  const kept = signedAfter(draft.view, from).length;
  const settled = invalid.length - kept;
  const choice = settled > 0 ? rule.choice : 'keep';
  draft.reasoning = { choice, settled, kept, why: rule.why, from };
}

function settle(draft: RunDraft, { choice }: ReasoningRule, thoughts: readonly Thought[]): Steps<void> {
  const { count, source } = draft.input;
  const { log } = source;
  // Steps of an open loop are not summarised, because the model is still working on them.
  const open = choice === 'summarise' ? openLoopFrom(log) : 0;
  const finished = thoughts.filter(({ seq }) => seq < open);
  const ofLoop = thoughts.filter(({ seq }) => seq >= open);
  const propose = (view: TranscriptView): Edit[] => [
    ...summarise(view, finished, log, count),
    ...ofLoop.map(strip),
  ];
  return draft.step(PIPELINE_STEPS.signatures, 0, propose, SIGNATURE_RIGHTS);
}

/** A signed thought, identified by its message and part. */
export interface SignedThought {
  readonly messageId: string;
  /** Log position of the message. */
  readonly seq: number;
  readonly part: number;
}

/** Removes signed thoughts that are stale for another reason (`why`) than an edit of the batch. */
export function stripStale(draft: RunDraft, isStale: (thought: SignedThought) => boolean, why: string): void {
  const stale = signedAfter(draft.view, { seq: 0, part: -1 }).filter(isStale);
  const [first] = stale;
  if (!first) return;
  atOnce(draft.step(PIPELINE_STEPS.signatures, 0, () => stale.map(strip), SIGNATURE_RIGHTS));
  const from = { seq: first.seq, part: first.part };
  draft.reasoning = { choice: 'strip', settled: stale.length, kept: 0, why, from };
}

/** The outcomes of two halves of one batch as one. */
export function joinReasoning(
  first: ReasoningOutcome | undefined,
  second: ReasoningOutcome | undefined,
): ReasoningOutcome | undefined {
  if (!first || !second) return second ?? first;
  const { choice, why } = first.settled > 0 ? first : second;
  const from = isAfter(first.from, second.from) ? second.from : first.from;
  return { choice, why, from, settled: first.settled + second.settled, kept: second.kept };
}

/** The first place that edits change. */
function firstChange(edits: readonly PlannedEdit[], log: ReadonlyLog): Place | undefined {
  let first: Place | undefined;
  for (const edit of edits) {
    const { seq } = log.find(endsOf(edit)[0])!;
    const place = { seq, part: edit.kind === 'replace' ? edit.partIndex : -1 };
    if (!first || isAfter(first, place)) first = place;
  }
  return first;
}

function isAfter(a: Place, b: Place): boolean {
  return a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
}

/** Signed thoughts in view after a place, in order. */
function signedAfter(view: TranscriptView, change: Place): Thought[] {
  const thoughts: Thought[] = [];
  for (const exchange of view.exchanges) {
    if (exchange.to < change.seq) continue;
    for (const { source, replaced } of exchange.messages) {
      if (!source || source.seq < change.seq) continue;
      for (const [at, part] of source.parts.entries()) {
        if (!isSigned(part) || replaced?.has(at)) continue;
        const thought = { exchange, messageId: source.id, seq: source.seq, part: at };
        if (!isAfter(change, thought)) thoughts.push(thought);
      }
    }
  }
  return thoughts;
}

function strip({ messageId, part }: Thought): Replace {
  const reason = 'signed reasoning after a change: its signature is no longer valid';
  return { kind: 'replace', messageId, partIndex: part, content: [], reason };
}

/** A summary of steps takes at most this share of their tokens; steps without so short a summary are stripped. */
const MAX_SUMMARY_SHARE = 0.5;

/** Replaces each run of adjacent steps by a summary of what they contain; strips thoughts in pins and holds. */
function summarise(
  view: TranscriptView,
  thoughts: readonly Thought[],
  log: ReadonlyLog,
  count: (text: string) => number,
): Edit[] {
  const exchanges = [...new Set(thoughts.map(({ exchange }) => exchange))];
  const free = exchanges.filter((one) => !one.protection && !one.unseen && !overlapsOther(one, log));
  const outlines = runsOf(free, (one, before) => !before || before.index === one.index - 1).flatMap((run) => {
    const edit = outlineRun(view, run, count);
    return edit ? [{ edit, run }] : [];
  });
  const summarised = new Set(outlines.flatMap(({ run }) => run));
  const remaining = thoughts.filter(({ exchange }) => !summarised.has(exchange));
  return [...outlines.map(({ edit }) => edit), ...remaining.map(strip)];
}

/** Whether another exchange lies between the messages of this one: superseding its span would split the other. */
function overlapsOther({ from, to }: ViewExchange, log: ReadonlyLog): boolean {
  return log.exchangeOf(from).seqs.length !== to - from + 1;
}

function outlineRun(
  view: TranscriptView,
  run: readonly ViewExchange[],
  count: (text: string) => number,
): Supersede | undefined {
  const [first, last] = [run[0]!, run.at(-1)!];
  const tokens = run.reduce((sum, exchange) => sum + exchange.tokens, 0);
  const handle = spanHandle(first.fromId, last.toId);
  const maxTokens = Math.floor(MAX_SUMMARY_SHARE * tokens);
  const { text, tokens: taken } = view.digest({ from: first.from, to: last.to, handle, maxTokens, count });
  if (taken > maxTokens) return undefined;
  const reason = 'steps with signed reasoning after a change: they are removed as a unit';
  return supersedeBy({ fromId: first.fromId, toId: last.toId }, [summaryMessage(handle, text)], reason);
}
