import type { Instructions } from '../../config/index.js';
import { fitText, levelFor } from '../../text/digest/index.js';
import type { Injected, RunInput } from '../../pipeline/index.js';
import type { Reading } from '../../tokens/index.js';
import type { HookRun } from '../../transcript/index.js';
import { ANY_TEXT, either, having, listOf, TEXT } from '../../errors/index.js';
import { LATE, inTime } from '../plugins/index.js';

/** Reads instructions from their source, anew each time. May reject. Has the deadline of a hook before a compaction. */
export type ReadInstructions = () => Promise<readonly Instructions[]>;

const INSTRUCTIONS = listOf(
  either(having({ name: TEXT, text: ANY_TEXT }), having({ name: TEXT, fault: ANY_TEXT })),
);

/** The name of the instruction sources in records: the setting. */
export const SOURCES = 'pins.sources';

/** Most that instructions which are put back may take, as a share of the budget, even if pins leave more. */
const MAX_SHARE = 0.15;

/** Instructions from outside the transcript. A compaction puts their present words back, next to its summaries. */
export class InstructionSources {
  /** The texts of the last reading, used for sources that cannot be read now. */
  readonly #known = new Map<string, string>();

  /** `ms`: the deadline of each reader. */
  constructor(
    private readonly readers: readonly ReadInstructions[],
    private readonly ms: number,
    private readonly count: (text: string) => number,
    private readonly timer: () => number,
  ) {}

  /** The instructions to put back in one run. Never rejects. */
  async putBack(run: RunInput, reading: Reading) {
    const started = this.timer();
    // The reasons why sources could not be read.
    const faults: string[] = [];
    const found = await this.#readAll(faults);
    const texts = found.flatMap((one) => {
      if ('text' in one) this.#known.set(one.name, one.text);
      else if (one.fault !== '') faults.push(`${one.name} ${one.fault}`);
      const text = this.#known.get(one.name)?.trim() ?? '';
      return text === '' ? [] : [{ name: one.name, text, tokens: this.count(text) }];
    });
    const level = levelFor(
      texts.map(({ tokens }) => tokens),
      allowanceIn(run, reading),
    );
    const cut = texts.map((one) => ({ ...one, shown: this.#cut(one, level) }));
    // For the record: how much of each source is put back if it is not in view.
    const line: HookRun = {
      plugin: SOURCES,
      hook: 'pre_compact',
      outcome: faults.length > 0 ? 'wrong' : 'done',
      durationMs: this.timer() - started,
      message: [
        ...cut.map(({ name, tokens, shown }) => lineOf(name, this.count(shown), tokens)),
        ...faults,
      ].join('; '),
    };
    const shown = cut.filter((one) => one.shown !== '');
    const injected: Injected = {
      plugin: SOURCES,
      texts: shown.map((one) => `[Instructions of ${one.name}, as they stand there now]\n${one.shown}`),
      unless: shown.map(({ text }) => text),
    };
    return { injected, line, faults };
  }

  async #readAll(faults: string[]): Promise<readonly Instructions[]> {
    const fault = (what: string): void => void faults.push(`the function that reads them ${what}`);
    const read = async (reader: ReadInstructions) => {
      const answer = (await inTime(this.ms, reader)) ?? [];
      if (answer === LATE) fault(`has not settled in ${this.ms} ms`);
      else if (INSTRUCTIONS.is(answer)) return answer;
      else fault('gave what is no list of names and texts');
      return undefined;
    };
    const answers = await Promise.all(this.readers.map((reader) => read(reader).catch(() => fault('threw'))));
    const found = answers.flatMap((answer) => answer ?? []);
    if (answers.every(Boolean)) return found;
    const names = new Set(found.map(({ name }) => name));
    const known = [...this.#known.keys()].filter((name) => !names.has(name));
    return [...found, ...known.map((name) => ({ name, fault: '' }))];
  }

  /** Whole lines from the beginning, with a note of how much is missing. */
  #cut({ name, text, tokens }: { name: string; text: string; tokens: number }, maxTokens: number): string {
    if (tokens <= maxTokens) return text;
    const beginning = (chars: number): string => {
      const head = text.slice(0, chars);
      const lines = head.slice(0, head.lastIndexOf('\n') + 1).trimEnd() || head.trimEnd();
      return lines && `${lines}\n[… ${text.length - lines.length} more characters stand in ${name}]`;
    };
    return fitText(beginning, maxTokens, this.count, text.length / tokens)?.text ?? '';
  }
}

const lineOf = (name: string, shown: number, full: number): string =>
  `${name}: ${shown < full ? `${shown} of ${full}` : full} tokens`;

/** The part of the pins' share that pins do not use, in counted tokens. */
function allowanceIn({ policy, projection, source }: RunInput, { budget, scale }: Reading): number {
  let pinned = 0;
  for (const shown of projection.view)
    if (shown.source && source.isPinned(shown.source)) pinned += shown.size.tokens;
  const shareOf = (share: number): number => Math.floor((share * budget.tokens) / scale);
  return Math.max(0, Math.min(shareOf(policy.shares.pins) - pinned, shareOf(MAX_SHARE)));
}
