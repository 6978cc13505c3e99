import type { FilePart, Message, Part, ToolCallPart, ToolResultPart } from '../../transcript/index.js';
import { Dice } from './dice.js';
import { prose, speech, TRAITS, type Trait } from './traits.js';

export interface HistoryOptions {
  /** The same seed gives the same history. */
  readonly seed: number;
  /** The approximate number of messages. Default 30. */
  readonly length?: number;
  /** The allowed traits; all by default. */
  readonly traits?: readonly Trait[];
}

/** A session as careless agents leave it, without any format's objects. Message ids are unique, call ids not always. */
export function historyOf({ seed, length = 30, traits = TRAITS }: HistoryOptions): Message[] {
  const writer = new HistoryWriter(new Dice(seed), new Set(traits));
  writer.begin();
  while (writer.messages.length < length) writer.addEvent();
  writer.end();
  return writer.messages;
}

class HistoryWriter {
  readonly messages: Message[] = [];
  readonly #dice: Dice;
  readonly #traits: ReadonlySet<Trait>;
  readonly #pastCalls: ToolCallPart[] = [];
  #lateResults: ToolResultPart[] = [];

  constructor(dice: Dice, traits: ReadonlySet<Trait>) {
    this.#dice = dice;
    this.#traits = traits;
  }

  begin(): void {
    if (this.#dice.hits(0.8)) this.#add('system', 'system', [this.#words(20)]);
    if (!(this.#hasTrait('turns') && this.#dice.hits(0.2))) this.#user();
  }

  /** One event of the session: a step with its results, an answer, a user message, or something untidy. */
  addEvent(): void {
    const roll = this.#dice.next();
    if (roll < 0.6) this.#step();
    else if (roll < 0.8) this.#turn();
    else if (roll < 0.86 && this.#hasTrait('instructions')) this.#instruction();
    else if (roll < 0.9 && this.#hasTrait('orphan')) this.#result(`nobody_${this.messages.length}`);
    else if (roll < 0.94 && this.#hasTrait('duplicate') && this.#pastCalls.length > 0) {
      this.#result(this.#dice.pick(this.#pastCalls).callId);
    } else if (roll < 0.98 && this.#hasTrait('turns')) this.#add('assistant', 'model', [this.#words()]);
  }

  /** Ends the session at any point; an orderly session ends with a question, so that a request may be made. */
  end(): void {
    const roll = this.#dice.next();
    if (this.#hasTrait('turns') && roll < 0.2) this.#add('assistant', 'model', [this.#words()]);
    else if (this.#hasTrait('interrupted') && roll < 0.4) this.#add('assistant', 'model', this.#calls());
    else if (roll < 0.6) this.#step();
    else this.#turn();
  }

  /** An answer and the user's reply. */
  #turn(): void {
    if (this.messages.at(-1)?.role !== 'assistant') this.#add('assistant', 'model', [this.#words()]);
    for (const result of this.#lateResults.splice(0)) this.#add('tool', 'tool', [result]);
    if (this.#hasTrait('interrupted') && this.#dice.hits(0.1)) this.#add('assistant', 'model', this.#calls());
    this.#user();
    if (this.#hasTrait('turns') && this.#dice.hits(0.15)) this.#user();
  }

  #step(): void {
    const calls = this.#calls();
    const said: Part[] = this.#dice.hits(0.5) ? [this.#words()] : [];
    this.#add('assistant', 'model', [...thoughts(this.#dice, this.#traits), ...said, ...calls]);
    const order = this.#hasTrait('parallel') && this.#dice.hits(0.3) ? [...calls].reverse() : calls;
    for (const [index, call] of order.entries()) {
      const isLast = index === order.length - 1;
      if (isLast && this.#hasTrait('interrupted') && this.#dice.hits(0.08)) continue;
      const result = resultOf(this.#dice, this.#traits, call.callId);
      if (this.#hasTrait('late') && this.#dice.hits(0.06)) this.#lateResults.push(result);
      else this.#add('tool', 'tool', [result]);
      if (!isLast && this.#hasTrait('late') && this.#dice.hits(0.04)) this.#user();
    }
  }

  #calls(): ToolCallPart[] {
    const calls = callsOf(this.#dice, this.#traits, this.messages.length);
    this.#pastCalls.push(...calls);
    return calls;
  }

  #user(): void {
    this.#add('user', 'user', [this.#words(), ...pictures(this.#dice, this.#traits)]);
  }

  #instruction(): void {
    if (this.#dice.hits(0.4)) this.#add('system', 'system', [this.#words(10)]);
    else
      this.#add('user', 'synthetic', [
        { type: 'text', text: '<system-reminder>keep to the plan</system-reminder>' },
      ]);
  }

  #result(callId: string): void {
    this.#add('tool', 'tool', [resultOf(this.#dice, this.#traits, callId)]);
  }

  #words(length?: number): Part {
    return { type: 'text', text: speech(this.#dice, this.#traits, length) };
  }

  #hasTrait(trait: Trait): boolean {
    return this.#traits.has(trait);
  }

  #add(role: Message['role'], origin: Message['origin'], parts: readonly Part[]): void {
    const isPinned = role === 'user' && this.#hasTrait('pins') && this.#dice.hits(0.06);
    const id = `m${this.messages.length}`;
    this.messages.push({ id, role, origin, parts, ...(isPinned && { pinned: true }) });
  }
}

const TOOLS = ['Read', 'Bash', 'Write', 'search_files', 'skill'] as const;

/** The smallest image: one transparent pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** One to four calls, with unique ids, or by the trait with ids that are reused, odd, or much too long. */
function callsOf(dice: Dice, traits: ReadonlySet<Trait>, at: number): ToolCallPart[] {
  const count = traits.has('parallel') ? dice.whole(1, 4) : 1;
  return Array.from({ length: count }, (_, i): ToolCallPart => {
    const name = dice.pick(TOOLS);
    return {
      type: 'tool-call',
      callId: callId(dice, traits, at, i),
      name,
      arguments: argumentsOf(dice, traits),
    };
  });
}

function callId(dice: Dice, traits: ReadonlySet<Trait>, at: number, i: number): string {
  if (!traits.has('reused-ids') || dice.hits(0.6)) return `call_${at}_${i}`;
  return dice.pick([`c${dice.whole(0, 3)}`, `odd id|${i}.é`, `long_${'x'.repeat(80)}_${at}_${i}`]);
}

function argumentsOf(dice: Dice, traits: ReadonlySet<Trait>): string {
  if (traits.has('malformed') && dice.hits(0.12))
    return dice.pick(['', '{"path": "src/a.ts"', 'null', '[1]', 'ls -la']);
  const path = `src/part${dice.whole(0, 6)}.ts`;
  return JSON.stringify(dice.hits(0.3) ? { path, content: prose(dice, dice.whole(20, 160)) } : { path });
}

function resultOf(dice: Dice, traits: ReadonlySet<Trait>, callId: string): ToolResultPart {
  const content = [{ type: 'text' as const, text: speech(dice, traits, 200) }, ...pictures(dice, traits)];
  const isEmpty = traits.has('empty') && dice.hits(0.05);
  return {
    type: 'tool-result',
    callId,
    content: isEmpty ? [] : content,
    ...(dice.hits(0.1) && { isError: true }),
  };
}

/** Usually no image; otherwise one with the part of a chat request, as importers leave it. */
function pictures(dice: Dice, traits: ReadonlySet<Trait>): FilePart[] {
  if (!traits.has('images') || !dice.hits(0.07)) return [];
  const url = `data:image/png;base64,${PIXEL}`;
  return [
    {
      type: 'file',
      mediaType: 'image/png',
      bytes: url.length,
      wire: { type: 'image_url', image_url: { url } },
    },
  ];
}

/** The parts before the words of a step: signed thinking, and parts that only another format knows. */
function thoughts(dice: Dice, traits: ReadonlySet<Trait>): Part[] {
  const parts: Part[] = [];
  if (traits.has('reasoning') && dice.hits(0.2)) {
    const isSigned = dice.hits(0.7);
    parts.push({ type: 'reasoning', text: prose(dice, 12), ...(isSigned && { signature: 'c2lnbmVk' }) });
  }
  if (traits.has('approvals') && dice.hits(0.1)) {
    const wire = { type: 'tool-approval-request', approvalId: 'a1' };
    parts.push({ type: 'opaque', kind: wire.type, bytes: JSON.stringify(wire).length, wire });
  }
  return parts;
}
