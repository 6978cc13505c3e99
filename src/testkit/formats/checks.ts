import type { Message, ViewMessage } from '../../transcript/index.js';
import { Dice, historyOf, ORDERLY, TRAITS, type Trait } from '../histories/index.js';
import { frozen } from '../frozen.js';
import { bodyOf } from '../legal.js';
import { RuleBroken } from '../rule.js';
import type { FormatSubject } from './subject.js';
import { cutResult, summaryView, unedited } from './views.js';

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);

interface Case {
  readonly where: string;
  readonly messages: readonly Message[];
  readonly view: readonly ViewMessage[];
  readonly dice: Dice;
}

/** Made once, because frozen cases can serve every format. */
const caseCache = new Map<string, readonly Omit<Case, 'dice'>[]>();

export function casesOf(traits: readonly Trait[] = TRAITS): readonly Case[] {
  const key = traits.join();
  const cases = caseCache.get(key) ?? SEEDS.map((seed) => caseOf(seed, traits));
  caseCache.set(key, cases);
  return cases.map((one, i) => ({ ...one, dice: new Dice(SEEDS[i]!) }));
}

function caseOf(seed: number, traits: readonly Trait[]): Omit<Case, 'dice'> {
  const messages = frozen(historyOf({ seed, length: 3 + (seed % 37), traits }));
  return { where: `history ${seed}`, messages, view: unedited(messages) };
}

const bytes = (value: unknown): string => JSON.stringify(value);

export function checkForeignInput({ format }: FormatSubject): void {
  for (const input of [undefined, null, 7, 'text', true, [1, 2], [null], { [format.messagesField]: 7 }]) {
    let parsed: unknown;
    try {
      parsed = format.parse(frozen(input));
    } catch (error) {
      const code = (error as { readonly code?: unknown } | undefined)?.code;
      if (code === 'INPUT_FORMAT') continue;
      throw new RuleBroken(`parse of ${bytes(input)} threw ${String(error)} instead of INPUT_FORMAT`, {
        cause: error,
      });
    }
    // Some formats accept a bare text as one user message.
    if (typeof input !== 'string') throw new RuleBroken(`parse took ${bytes(input)}: ${bytes(parsed)}`);
  }
}

/** Any content of a log, edited or not, gives a legal request. */
export function checkLegal({ format, validate }: FormatSubject): void {
  if (!validate) return;
  for (const { where, view, dice } of casesOf()) {
    for (const [how, shown] of [
      ['as it is', view],
      ['edited', edited(view, dice)],
    ] as const) {
      const fault = validate(JSON.parse(bytes(bodyOf(format, shown))))[0];
      if (fault)
        throw new RuleBroken(`${where}, ${how}: ${fault.rule} at message ${fault.at}: ${fault.what}`);
    }
  }
}

/** A written request is read and written again, byte for byte. */
export function checkIdentity({ format }: FormatSubject): void {
  for (const { where, view } of casesOf()) {
    const body = bodyOf(format, view);
    demandSame(format, body, where);
  }
}

/** As `checkIdentity`, with an unknown field in every message. */
export function checkUnknownFields({ format }: FormatSubject): void {
  for (const { where, view } of casesOf(ORDERLY)) {
    const body = bodyOf(format, view);
    const list = body[format.messagesField] as readonly object[];
    const odd = list.map((message, i) => ({ x_first: [i], ...message, x_last: { deep: { i } } }));
    demandSame(format, { ...body, [format.messagesField]: odd }, `${where} with unknown fields`);
  }
}

function demandSame(
  format: FormatSubject['format'],
  body: Readonly<Record<string, unknown>>,
  where: string,
): void {
  const sent = frozen(JSON.parse(bytes(body)) as Record<string, unknown>);
  const again = bodyOf(format, unedited(format.parse(sent).messages));
  const [was, is] = [sent[format.messagesField], again[format.messagesField]] as unknown[][];
  const at = was!.findIndex((message, i) => bytes(message) !== bytes(is![i]));
  if (at >= 0 || was!.length !== is!.length) {
    const index = at >= 0 ? at : was!.length;
    const [found, wanted] = [is![index], was![index]].map((one) => (bytes(one) ?? 'nothing').slice(0, 160));
    throw new RuleBroken(`${where}: message ${index} came back as ${found}, not ${wanted}`);
  }
  for (const [field, value] of Object.entries(again)) {
    if (bytes(sent[field]) !== bytes(value)) throw new RuleBroken(`${where}: ${field} came back changed`);
  }
}

/** The same view gives the same bytes after any other writing, and so do equal objects. */
export function checkPure({ format }: FormatSubject): void {
  for (const { where, messages, view, dice } of casesOf()) {
    const first = bytes(bodyOf(format, view));
    const shown = edited(view, dice);
    const other = bytes(bodyOf(format, shown));
    format.serialise(view.slice(0, dice.whole(0, view.length)));
    if (bytes(bodyOf(format, view)) !== first)
      throw new RuleBroken(`${where}: a second writing gave other bytes`);
    if (bytes(bodyOf(format, shown)) !== other)
      throw new RuleBroken(`${where}, edited: a second writing gave other bytes`);
    const copies = messages.map((message) =>
      frozen({ ...message, parts: message.parts.map((part) => ({ ...part })) }),
    );
    if (bytes(bodyOf(format, unedited(copies))) !== first)
      throw new RuleBroken(`${where}: equal messages in other objects gave other bytes`);
  }
}

/** Each request to a model is a prefix of the next one: merged neighbours may only grow. */
export function checkExtension({ format }: FormatSubject): void {
  for (const { where, view } of casesOf(ORDERLY)) {
    const calls = view.flatMap(({ message }, at) => (message.role === 'assistant' && at > 0 ? [at] : []));
    const requests = calls.map((at) => unmarked(bodyOf(format, view.slice(0, at))[format.messagesField]));
    for (const [turn, shorter] of requests.slice(0, -1).entries()) {
      const longer = requests[turn + 1]!;
      const at = shorter.findIndex((message, i) => message !== longer[i]);
      if (at >= 0)
        throw new RuleBroken(
          `${where}: request ${turn + 2} changes message ${at} of request ${turn + 1} (${shorter[at]!.slice(0, 120)})`,
        );
    }
  }
}

/** The list without cache marks, which move with each request and are no content. */
function unmarked(list: unknown): string[] {
  return (list as unknown[]).map((one) =>
    JSON.stringify(one, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
}

/** No text is missing from the request, unless a notice names its message. */
export function checkNothingLost({ format }: FormatSubject): void {
  for (const { where, messages, view } of casesOf(ORDERLY)) {
    const body = bodyOf(format, view);
    const { notices } = format.serialise(view);
    const named = new Set(notices.map(({ at }) => at));
    const sent = new Set<string>();
    collect(body, sent);
    const all = [...sent].join('\n');
    for (const { id, parts } of messages) {
      for (const part of parts) {
        const texts =
          part.type === 'text'
            ? [part.text]
            : part.type === 'tool-result'
              ? part.content.flatMap((one) => (one.type === 'text' ? [one.text] : []))
              : [];
        const lost = texts.find((text) => isWellFormed(text) && !all.includes(text));
        if (lost !== undefined && !named.has(id))
          throw new RuleBroken(
            `${where}: ${id} said ${bytes(lost.slice(0, 80))}, which is not sent, and no notice names it`,
          );
      }
    }
  }
}

/** Whether a text has no halves of surrogate pairs, which formats may have to repair. */
function isWellFormed(text: string): boolean {
  return !/\\ud[89a-f]/.test(JSON.stringify(text));
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) collect(one, into);
}

/** A broken log is repaired with a notice; an orderly log gives no notice. */
export function checkNotices({ format }: FormatSubject): void {
  for (const trait of ['orphan', 'duplicate', 'interrupted', 'late'] as const) {
    let repairs = 0;
    for (const { view } of casesOf([trait])) repairs += format.serialise(view).notices.length;
    if (repairs === 0) throw new RuleBroken(`no notice in ${SEEDS.length} histories with the trait ${trait}`);
  }
  for (const { where, view } of casesOf(['parallel'])) {
    const [notice] = format.serialise(view).notices;
    if (notice)
      throw new RuleBroken(`${where} is in order, and yet a notice says: ${notice.kind}, ${notice.what}`);
  }
}

/** Replaces some spans by summaries and cuts some results: whole exchanges, as compaction leaves a view. */
export function edited(view: readonly ViewMessage[], dice: Dice): ViewMessage[] {
  const out: ViewMessage[] = [];
  for (let at = 0; at < view.length;) {
    const shown = view[at]!;
    let to = at + 1;
    while (to < view.length && view[to]!.message.role === 'tool') to++;
    const isWhole = shown.message.role === 'assistant' || shown.message.role === 'user';
    const spares = shown.message.pinned || to >= view.length;
    if (isWhole && !spares && dice.hits(0.2)) out.push(summaryView(at, to - 1));
    else out.push(...view.slice(at, to).map((one) => (dice.hits(0.3) ? cutResult(one) : one)));
    at = to;
  }
  return out;
}
