import type { Instructions } from '../../config/index.js';
import { fitText, levelFor } from '../../text/digest/index.js';
import type { Injected, RunInput } from '../../pipeline/index.js';
import type { Reading } from '../../tokens/index.js';
import type { HookRun } from '../../transcript/index.js';
import { ANY_TEXT, either, having, listOf, TEXT } from '../../errors/index.js';
import { LATE, inTime } from '../plugins/index.js';

/** Reads instructions from where they stand, anew each time. May reject, and takes as long as a hook before a compaction may. */
export type ReadInstructions = () => Promise<readonly Instructions[]>;

const INSTRUCTIONS = listOf(
  either(having({ name: TEXT, text: ANY_TEXT }), having({ name: TEXT, fault: ANY_TEXT })),
);

/** As records name what does it: the setting. */
export const SOURCES = 'pins.sources';

/** Of the budget: what instructions that are put back may take, whatever pins leave of their share. */
const MAX_SHARE = 0.15;

/** Instructions that stand outside the transcript: their present words come back beside what stands for what left. */
export class InstructionSources {
  /** As they were read last: what cannot be read now is what it was. */
  readonly #known = new Map<string, string>();

  /** `ms`: most that each reader may take. */
  constructor(
    private readonly readers: readonly ReadInstructions[],
    private readonly ms: number,
    private readonly count: (text: string) => number,
    private readonly timer: () => number,
  ) {}

  /** What is put back in one run. Never rejects. */
  async putBack(run: RunInput, reading: Reading) {
    const started = this.timer();
    // Why sources could not be read.
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
    // For the record: what of each source is put back where it does not stand in view.
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
      by: SOURCES,
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

  /** Whole lines from its beginning, and how much more there is. */
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

const lineOf = (name: string, shown: number, of: number): string =>
  `${name}: ${shown < of ? `${shown} of ${of}` : of} tokens`;

/** What pins leave of their share, in counted tokens. */
function allowanceIn({ policy, projection, source }: RunInput, { budget, scale }: Reading): number {
  let pinned = 0;
  for (const shown of projection.view)
    if (shown.source && source.isPinned(shown.source)) pinned += shown.size.tokens;
  const shareOf = (share: number): number => Math.floor((share * budget.tokens) / scale);
  return Math.max(0, Math.min(shareOf(policy.shares.pins) - pinned, shareOf(MAX_SHARE)));
}
