import { formats } from '../../src/index.js';
import type { Session } from '../../src/index.js';
import type { Message } from '../../src/transcript/index.js';
import { prose, times } from './support.js';

/** A message of any format. */
type Body = Record<string, unknown>;

/** One step of a tool loop with its signed thinking, as clients of the format store it. */
type WriteStep = (id: string, thinking: string, signature: string, output: string) => readonly Body[];

const ARGUMENTS = { path: 'src/mill.ts' };

/** The formats that carry thinking of any provider, each with a step that shows how. */
export const STEPS: Readonly<Record<string, WriteStep>> = {
  'ai-sdk': (id, thinking, signature, output) => [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: thinking, providerOptions: { anthropic: { signature } } },
        { type: 'tool-call', toolCallId: id, toolName: 'Read', input: ARGUMENTS },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: id, toolName: 'Read', output: { type: 'text', value: output } },
      ],
    },
  ],
  langchain: (id, thinking, signature, output) => [
    {
      type: 'ai',
      content: [{ type: 'thinking', thinking, signature }],
      tool_calls: [{ type: 'tool_call', id, name: 'Read', args: ARGUMENTS }],
    },
    { type: 'tool', tool_call_id: id, name: 'Read', content: output },
  ],
  'openai-chat': (id, thinking, signature, output) => [
    {
      role: 'assistant',
      content: '',
      reasoning: thinking,
      reasoning_details: [
        { type: 'reasoning.text', text: thinking, signature, format: 'anthropic-claude-v1', index: 0 },
      ],
      tool_calls: [
        { id, type: 'function', function: { name: 'Read', arguments: JSON.stringify(ARGUMENTS) } },
      ],
    },
    { role: 'tool', tool_call_id: id, content: output },
  ],
};

/** One open tool loop of this many steps. */
export function loopOn(format: string, steps: number): readonly Body[] {
  const step = STEPS[format]!;
  const asks = format === 'langchain' ? { type: 'human' } : { role: 'user' };
  return [
    { ...asks, content: 'Work on it.' },
    ...times(steps, (i) => step(`call_${i}`, `Step ${i}: ${prose(20, i)}`, `sig:${i}`, prose(200, 31 * i))),
  ];
}

/** What a request contains of signatures, as its own format reads it. */
export interface SignedRequest {
  /** Thoughts that were signed over another prefix than the one before them. */
  readonly stale: readonly string[];
  /** Number of signed thoughts in the request. */
  readonly signed: number;
  /** Whether the request ends in a tool loop whose newest step does not begin with thinking. */
  readonly unthinking: boolean;
  /** Signed thoughts directly after another message of the model: the provider joins both to one turn, which then begins with text. */
  readonly merged: readonly string[];
}

/** Plays a conversation as an agent would, and compares each request with the prefixes that its thoughts were signed over. */
export async function playOn(session: Session, body: readonly Body[]): Promise<SignedRequest[]> {
  const format = formats.get(session.format)!;
  const signedOver = new Map<string, string>();
  const requests: SignedRequest[] = [];
  const call = async (): Promise<string> => {
    const { messages, beside } = await session.prepare();
    const sent = format.parse({ ...beside, [format.messagesField]: messages }).messages;
    requests.push(judged(sent, signedOver));
    return sent.map(saidBy).join('\n');
  };
  for (const message of format.parse(body).messages) {
    if (message.role === 'assistant') {
      const prefix = await call();
      for (const signature of signaturesIn(message)) signedOver.set(signature, prefix);
    }
    await session.append(message);
  }
  await call();
  return requests;
}

function judged(sent: readonly Message[], signedOver: ReadonlyMap<string, string>): SignedRequest {
  const thoughts = sent.flatMap((message, at) =>
    signaturesIn(message).map((signature) => ({
      signature,
      prefix: sent.slice(0, at).map(saidBy).join('\n'),
    })),
  );
  const last = sent.findLast(({ role }) => role === 'assistant');
  return {
    stale: thoughts.flatMap(({ signature, prefix }) =>
      signedOver.get(signature) === prefix ? [] : [signature],
    ),
    signed: thoughts.length,
    unthinking: sent.at(-1)?.role === 'tool' && last?.parts[0]?.type !== 'reasoning',
    merged: sent.flatMap((message, at) =>
      message.role === 'assistant' && sent[at - 1]?.role === 'assistant' ? signaturesIn(message) : [],
    ),
  };
}

function signaturesIn({ parts }: Message): string[] {
  return parts.flatMap((part) => (part.type === 'reasoning' && part.signature ? [part.signature] : []));
}

function saidBy({ role, parts }: Message): string {
  return JSON.stringify([role, parts], (key, value: unknown) => (key === 'wire' ? undefined : value));
}

/** Formats whose providers sign single steps: the items of such a step. */
export const SIGNED_STEPS: Readonly<Record<string, (id: number) => readonly Body[]>> = {
  gemini: (id) => [
    {
      role: 'model',
      parts: [
        { text: `Step ${id}: ${prose(20, id)}`, thought: true },
        { functionCall: { id: `c${id}`, name: 'Read', args: ARGUMENTS }, thoughtSignature: `sig:${id}` },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: `c${id}`, name: 'Read', response: { output: prose(200, 31 * id) } } },
      ],
    },
  ],
  'openai-responses': (id) => [
    { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: `sealed:${id}:${prose(20, id)}` },
    {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: `c${id}`,
      name: 'Read',
      arguments: JSON.stringify(ARGUMENTS),
    },
    { type: 'function_call_output', call_id: `c${id}`, output: prose(200, 31 * id) },
  ],
};
