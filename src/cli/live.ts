import { createLogUpdate } from 'log-update';
import type { PressureEvent, Reading, ReplayedCall } from '../index.js';
import { amount, percent } from './report/numbers.js';
import type { Terminal } from './terminal.js';

export interface LiveView {
  event(event: PressureEvent<Reading>): void;
  call(call: ReplayedCall): void;
  done(): void;
}

interface Setting {
  readonly gates: readonly { readonly name: string; readonly opensAt: number }[];
  readonly budget: number;
  readonly calls: number;
}

/** Newest firings kept on the screen. */
const SHOWN_FIRINGS = 8;

/** A picture that is redrawn on a terminal; where nobody watches, one line a compaction. */
export function createLiveView(terminal: Terminal, setting: Setting): LiveView {
  const { paint } = terminal;
  const update = terminal.interactive ? createLogUpdate(process.stderr) : undefined;
  const firings: string[] = [];
  let seen = 0;
  let at = '';
  terminal.note(
    `${paint.bold('spillway')} keeps a recorded session of ${setting.calls} model calls inside ${amount(setting.budget)} tokens`,
  );
  terminal.note(
    setting.gates.map(({ name, opensAt }) => `${name} ${Math.round(opensAt * 100)} %`).join('   '),
  );
  return {
    event(event) {
      if (event.kind === 'triggered')
        at = `call ${String(seen + 1).padStart(3)}  ${percent(event.reading.pressure).padStart(7)}`;
      if (event.kind !== 'firing' || event.edits === 0) return;
      const freed = event.tokensBefore - event.tokensAfter;
      const line = `${at}  ${event.stage.padEnd(8)} ${String(event.edits).padStart(3)} edits  -${amount(freed)} tokens`;
      firings.push(line);
      if (!update) terminal.note(line);
    },
    call(call) {
      seen++;
      if (!update) return;
      const bar = pressureBar(call.pressure, setting.gates, Math.min(72, terminal.columns - 12), paint);
      update(
        [
          '',
          `${bar} ${percent(call.pressure)}`,
          `call ${seen} of ${setting.calls}   ${amount(call.tokens)} tokens sent   ${amount(call.unchangedPrefixTokens)} unchanged at the front`,
          '',
          ...firings.slice(-SHOWN_FIRINGS),
        ].join('\n'),
      );
    },
    done: () => update?.done(),
  };
}

/** 0 to 100 % of the budget, with a mark at each gate. */
export function pressureBar(
  pressure: number,
  gates: Setting['gates'],
  width: number,
  paint: Terminal['paint'],
): string {
  const cell = (share: number): number => Math.min(width - 1, Math.floor(share * width));
  const marks = new Set(gates.map(({ opensAt }) => cell(opensAt)));
  const filled = Math.round(Math.min(1, pressure) * width);
  let bar = '';
  for (let i = 0; i < width; i++) {
    const full = i < filled;
    const glyph = marks.has(i) ? '|' : full ? '█' : '░';
    const open = gates.some(({ opensAt }) => pressure >= opensAt);
    bar += full ? (open ? paint.yellow(glyph) : paint.cyan(glyph)) : paint.dim(glyph);
  }
  return bar;
}
