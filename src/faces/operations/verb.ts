import { z } from 'zod/v4';
import type { Session } from '../../session/index.js';

type Fields = z.core.$ZodShape;
/** Input of a verb, with undefined fields left out. */
type VerbInput<Shape extends Fields> = Exact<z.output<z.ZodObject<Shape>>>;
type Exact<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** An operator's action on one session, the same for the library, the HTTP API, the command line and agents' tools. */
export interface Verb<Shape extends Fields = Fields, Output = unknown> {
  readonly summary: string;
  /** Input with the library's names. Each face writes them its own way: `max_tokens`, `--max-tokens`. */
  readonly input: z.ZodObject<Shape>;
  /** The fields that the answer has at least. Absent if the verb has no answer. */
  readonly output?: z.ZodType | undefined;
  /** True for a list that ends with its newest item. Other lists begin with their newest. */
  readonly isOldestFirst?: boolean;
  /** Ignores fields of `given` that the input does not name. */
  run(session: Session, given: z.output<z.ZodObject<Shape>>): Promise<Output>;
}

export function verb<Shape extends Fields, Output>(
  summary: string,
  fields: Shape,
  output: z.ZodType | undefined,
  /** The session is loaded from its beginning before `act` is called. */
  act: (session: Session, asked: VerbInput<Shape>) => Output | Promise<Output>,
): Verb<Shape, Output> {
  return {
    summary,
    input: z.strictObject(fields) as z.ZodObject<Shape>,
    output,
    async run(session, given) {
      const named = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
      return act(await session.load(), present(Object.fromEntries(named)) as VerbInput<Shape>);
    },
  };
}

/** The fields that are not undefined. */
export function present<Fields extends object>(fields: Fields): Partial<Exact<Fields>> {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Partial<Exact<Fields>>;
}
