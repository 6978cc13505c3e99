import { z } from 'zod/v4';
import type { Session } from '../../session/index.js';

type Fields = z.core.$ZodShape;
/** What was said; a field that says nothing is left out. */
type Said<Shape extends Fields> = Exact<z.output<z.ZodObject<Shape>>>;
type Exact<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** An act of operators on one session, the same for the library, the HTTP API, the command line and tools of agents. */
export interface Verb<Shape extends Fields = Fields, Output = unknown> {
  readonly summary: string;
  /** In the library's words; a face writes them its own way: `max_tokens`, `--max-tokens`. */
  readonly input: z.ZodObject<Shape>;
  /** What the answer holds at least; absent: nothing is answered. */
  readonly output?: z.ZodType | undefined;
  /** Of a list: it ends with its newest. Others begin with it. */
  readonly isOldestFirst?: boolean;
  /** More in `given` than the input names is left alone. */
  run(session: Session, given: z.output<z.ZodObject<Shape>>): Promise<Output>;
}

export function verb<Shape extends Fields, Output>(
  summary: string,
  fields: Shape,
  output: z.ZodType | undefined,
  /** Of the session as a whole: it was read to its beginning. */
  act: (session: Session, asked: Said<Shape>) => Output | Promise<Output>,
): Verb<Shape, Output> {
  return {
    summary,
    input: z.strictObject(fields) as z.ZodObject<Shape>,
    output,
    async run(session, given) {
      const named = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
      return act(await session.load(), present(Object.fromEntries(named)) as Said<Shape>);
    },
  };
}

/** What of these fields was said. */
export function present<Fields extends object>(fields: Fields): Partial<Exact<Fields>> {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Partial<Exact<Fields>>;
}
