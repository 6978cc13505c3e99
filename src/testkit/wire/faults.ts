import { z, type ZodType } from 'zod/v4';
import { asText, asLoose, isLoose, type Loose } from './loose.js';

/** A rule of a provider that a request breaks, and where. */
export interface WireFault<Rule extends string = string> {
  /** The rule's id, e.g. `C1`; the validator's file lists them. */
  readonly rule: Rule;
  /** Index of the message, item or content at fault; for a missing result, of its call; 0 or -1 for the body. */
  readonly at: number;
  readonly what: string;
}

/** Options of a validator for rules that do not always apply. */
export interface WireOptions {
  /** Whether the list may end in calls that wait for their results, as a session in progress does. Default true. */
  readonly openEnd?: boolean;
}

/** Text that is not empty. */
export const text = z.string().min(1);
/** Any object that is no list. */
export const object = z.custom<Loose>(isLoose, 'Invalid input: expected object');

/** Shapes of parts by their type, each with its rule. */
export type Shapes<Rule extends string> = Readonly<Record<string, readonly [rule: Rule, shape: ZodType]>>;

/** The faults of one request. */
export class Faults<Rule extends string> {
  readonly #found: WireFault<Rule>[] = [];

  get inOrder(): WireFault<Rule>[] {
    return this.#found.sort((a, b) => a.at - b.at);
  }

  add(rule: Rule, at: number, what: string): void {
    this.#found.push({ rule, at, what });
  }

  /** Checks a value against its shape. */
  demand(rule: Rule, at: number, shape: ZodType, value: unknown, name = 'it'): void {
    for (const { path, message } of shape.safeParse(value).error?.issues ?? [])
      this.add(rule, at, `${[name, ...path.map(String)].join('.')}: ${message}`);
  }

  /** Checks a part against the shape of its type, if there is one. */
  demandPart(shapes: Shapes<Rule>, at: number, part: Loose): void {
    const type = asText(part.type);
    if (Object.hasOwn(shapes, type)) this.demand(shapes[type]![0], at, shapes[type]![1], part, type);
  }

  /** The messages of a request, which must be a list that is not empty. */
  messages(rule: Rule, at: number, value: unknown): readonly Loose[] {
    if (!Array.isArray(value)) this.add(rule, at, 'the messages are no list');
    else if (value.length === 0) this.add(rule, at, 'there is no message');
    return Array.isArray(value) ? value.map(asLoose) : [];
  }
}
