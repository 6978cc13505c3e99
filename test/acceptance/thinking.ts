import { anthropic } from '../../src/formats/index.js';
import type { Injection, Session } from '../../src/index.js';
import { validateAnthropic } from '../../src/testkit/index.js';
import { SignatureBook, type SignatureFault } from '../support/signature-book.js';
import { prose } from './support.js';

/** A message of the Messages API. */
export type Wire = { readonly role: string; readonly content: readonly Record<string, unknown>[] };

export const text = (words: string) => ({ type: 'text', text: words });
export const asks = (words: string): Wire => ({ role: 'user', content: [text(words)] });
export const thinks = (words: string) => ({ type: 'thinking', thinking: words, signature: `sig:${words}` });

/** A tool loop of this many steps, each with its thinking; the calls are named after the turn. */
export function loop(turn: string, steps: number, resultTokens = 200): Wire[] {
  return Array.from({ length: steps }, (_, i): Wire[] => {
    const id = `toolu_${turn}_${i}`;
    return [
      {
        role: 'assistant',
        content: [
          thinks(`${turn}.${i}: ${prose(20, i)}`),
          { type: 'tool_use', id, name: 'Read', input: { path: `src/${turn}/${i}.ts` } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: prose(resultTokens, 31 * i + turn.length) },
        ],
      },
    ];
  }).flat();
}

/** A finished turn: the question, the loop, the answer with its own thinking. */
export function turn(name: string, steps: number, resultTokens = 200): Wire[] {
  return [
    asks(`Question ${name}: ${prose(20, steps)}`),
    ...loop(name, steps, resultTokens),
    { role: 'assistant', content: [thinks(`${name}.done`), text(`Answer ${name}.`)] },
  ];
}

export interface Call {
  readonly messages: readonly Wire[];
  /** Faults of the request alone; `signatures` has those of its signatures, judged by all earlier requests. */
  readonly illegal: readonly unknown[];
  readonly signatures: readonly SignatureFault[];
  readonly committed: boolean;
}

export interface Playing {
  /** What hooks add to a call, by its number from 0. */
  readonly inject?: (call: number) => readonly Injection[];
  /** What an operator does before a call, by its number. */
  readonly before?: (call: number) => Promise<unknown>;
}

/** Plays a conversation as an agent would: a request before each message of the assistant, and one at the end. */
export async function play(
  session: Session,
  wire: readonly Wire[],
  { inject, before }: Playing = {},
): Promise<Call[]> {
  const { messages } = anthropic.parse({ system: 'Be brief.', messages: wire });
  const book = new SignatureBook();
  const calls: Call[] = [];
  const call = async (): Promise<unknown> => {
    const records = session.operator.ledger.records.length;
    await before?.(calls.length);
    const injected = inject?.(calls.length) ?? [];
    const { messages: sent, beside } = await session.prepare({ inject: injected });
    const body = { ...beside, messages: sent };
    calls.push({
      messages: sent as Wire[],
      illegal: validateAnthropic({ ...body, thinking: { type: 'enabled' } }),
      signatures: book.judge(body),
      committed: session.operator.ledger.records.length > records,
    });
    return body;
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      const body = await call();
      book.answered(body, (message.wire as { message: unknown }).message);
    }
    await session.append(message);
  }
  await call();
  return calls;
}

/** The text of all thinking in a request. */
export const thoughtsIn = (messages: readonly Wire[]): string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap(({ type, thinking }) => (type === 'thinking' ? String(thinking) : [])),
  );
