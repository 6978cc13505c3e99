import { createLogUpdate } from 'log-update';
import type { ReplayedCall } from '../../index.js';
import { amount, change, percent } from './report/numbers.js';
import type { Terminal } from './terminal.js';

export interface Gate {
  readonly name: string;
  readonly opensAt: number;
}

interface Setting {
  readonly gates: readonly Gate[];
  readonly budget: number;
  readonly calls: number;
}

/** Newest compactions kept on the screen. */
const SHOWN_COMPACTIONS = 10;

/** A picture that is redrawn on a terminal; where nobody watches, one line a compaction. */
export function createLiveView(terminal: Terminal, { gates, budget, calls }: Setting) {
  const { paint } = terminal;
  const update = terminal.interactive ? createLogUpdate(process.stderr) : undefined;
  const lines: string[] = [];
  let seen = 0;
  terminal.note(
    `${paint.bold('spillway')} keeps a recorded session of ${calls} model calls inside ${amount(budget)} tokens`,
  );
  terminal.note(
    `gates: ${gates.map(({ name, opensAt }, i) => `${i + 1} ${name} ${Math.round(opensAt * 100)} %`).join('   ')}`,
  );
  terminal.note('');
  return {
    call(call: ReplayedCall, compaction: Compaction | undefined): void {
      seen++;
      const line = compactionLine(call, compaction);
      if (line !== undefined) lines.push(line);
      if (!update) {
        if (line !== undefined) terminal.note(line);
        return;
      }
      const width = Math.max(24, Math.min(72, terminal.columns - 20));
      const before = compaction?.before ?? call.pressure;
      const bar = pressureBar({ before, after: call.pressure }, gates, width, paint);
      const freed = compaction ? `${percent(before)} -> ` : '';
      update(
        [
          `${bar} ${freed}${percent(call.pressure)}`,
          `call ${seen} of ${calls}   ${amount(call.tokens)} tokens sent   ${amount(call.unchangedPrefixTokens)} unchanged at the front`,
          '',
          ...lines.slice(-SHOWN_COMPACTIONS),
        ].join('\n'),
      );
    },
    done: () => update?.done(),
  };
}

/** What stands in the log of the demonstration for one call; nothing where nothing was compacted. */
function compactionLine(call: ReplayedCall, compaction: Compaction | undefined): string | undefined {
  const at = `message ${String(call.index).padStart(4)}`;
  if (call.error) return `${at}  ${percent(call.pressure).padStart(7)}  ${call.error.code}`;
  if (!compaction) return undefined;
  const stages = compaction.stages.map(({ stage, tokens }) => `${stage} ${change(tokens)}`);
  const pressure = `${percent(compaction.before).padStart(7)} -> ${percent(call.pressure).padStart(6)}`;
  return `${at}  ${pressure}  ${stages.join('  ')}`;
}

/** 0 to 100 % of the budget; gates stand on it by number, and what the last run freed is hatched. */
export function pressureBar(
  { before, after }: { readonly before: number; readonly after: number },
  gates: readonly Gate[],
  width: number,
  paint: Terminal['paint'],
): string {
  const cell = (share: number): number => Math.min(width - 1, Math.floor(share * width));
  const marks = new Map(gates.map(({ opensAt }, i) => [cell(opensAt), { number: i + 1, opensAt }]));
  const [filled, freed] = [after, before].map((pressure) => Math.round(Math.min(1, pressure) * width));
  let bar = '';
  for (let i = 0; i < width; i++) {
    const mark = marks.get(i);
    if (mark)
      bar += before >= mark.opensAt ? paint.yellow(String(mark.number)) : paint.dim(String(mark.number));
    else if (i < filled!) bar += paint.cyan('█');
    else if (i < freed!) bar += paint.yellow('▒');
    else bar += paint.dim('░');
  }
  return bar;
}

export interface Progress {
  at(done: number): void;
  done(): void;
}

/** One line on stderr while long work goes on; silent where nobody watches. */
export function createProgress(terminal: Terminal, total: number, what: string): Progress {
  if (!terminal.interactive) return { at: () => {}, done: () => {} };
  const update = createLogUpdate(process.stderr);
  let shown = -1;
  return {
    at: (done) => {
      const share = Math.floor((100 * done) / Math.max(1, total));
      if (share === shown) return;
      shown = share;
      update(`${what} ${done} of ${total} (${share} %)`);
    },
    done: () => update.clear(),
  };
}

/** A run that was committed. */
export type Compaction = NonNullable<ReturnType<typeof compactionOf>>;
/** One stage in a compaction, or in all of them: how often it acted and what that did to the view. */
export type StageTotals = Compaction['stages'][number];

/** What a call compacted, if it did. */
export function compactionOf({ prepared }: ReplayedCall) {
  if (prepared?.run.kind !== 'committed') return undefined;
  const { run, reading } = prepared;
  const stages = run.stages
    .filter(({ edits }) => edits > 0)
    .map(({ stage, edits, before, after }) => ({
      stage,
      runs: 1,
      edits,
      /** Of the view; below 0 where it became smaller. */
      tokens: after.tokens - before.tokens,
    }));
  // The pressure that started it, and the stages that did something.
  return { before: (run.stages[0]?.before.tokens ?? reading.tokens) / reading.budget.tokens, stages };
}
