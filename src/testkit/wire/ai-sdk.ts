/**
 * The rules of the AI SDK and its providers for `ModelMessage`s, and for the prompt of a model call.
 *
 * S0 there are messages; roles and content are of a known shape; no message is empty
 * S2 an approval request names a call of its message; a response answers a request of the step before it, once
 * S3 a call that the provider ran has its result in an assistant message, and nowhere else
 * S6 each call is answered once, in the tool messages directly after its message; no result answers a missing call
 * S7 calls and results have ids and names; an input is an object (or text, for a custom tool whose provider knows the call
 *    by a name of its own), an output one of the SDK's kinds
 * S8 texts are whole: no half of a surrogate pair
 * S9 files have bytes, an address or an upload, and have a media type
 */

import { z } from 'zod/v4';
import { checkAnswers } from './answers.js';
import { Faults, object, text, type Shapes, type WireFault, type WireOptions } from './faults.js';
import { entryOf, asText, asLoose, isEncodable, listIn, type Loose } from './loose.js';

/** A rule of the AI SDK's messages; see the head of this file. */
export type AiSdkRule = 'S0' | 'S2' | 'S3' | 'S6' | 'S7' | 'S8' | 'S9';
/** A rule of the format that a prompt breaks, and where. */
export type AiSdkFault = WireFault<AiSdkRule>;

/** Faults of a body or a bare message list, in order; never throws. */
export function validateAiSdk(request: unknown, { openEnd = true }: WireOptions = {}): readonly AiSdkFault[] {
  const faults = new Faults<AiSdkRule>();
  const body = asLoose(request);
  const list = Array.isArray(request) ? (request as unknown[]) : (body.messages ?? body.prompt);
  const messages = faults.messages('S0', 0, list);
  const providers = new Set<string>();
  messages.forEach((message, at) => {
    checkMessage(message, at, faults);
    if (message.role === 'assistant') checkAssistant(message, at, providers, faults);
    if (!isEncodable(message)) faults.add('S8', at, 'a text holds half of a surrogate pair');
  });
  const of = (role: string, type: string) => (message: Loose) =>
    message.role === role ? itemsOf(message).filter((item) => item.type === type) : undefined;
  const [calls, results] = [of('assistant', 'tool-call'), of('tool', 'tool-result')];
  checkAnswers(
    messages,
    {
      calls: (message) =>
        (calls(message) ?? []).filter((call) => call.providerExecuted !== true).map(callIdOf),
      answers: (message) => results(message)?.map(callIdOf),
      onceRule: 'S6',
      ownRule: 'S6',
    },
    openEnd,
    faults,
  );
  const [asked, given] = [of('assistant', 'tool-approval-request'), of('tool', 'tool-approval-response')];
  checkAnswers(
    messages,
    {
      calls: (message) => (asked(message) ?? []).map(approvalIdOf),
      answers: (message) => given(message)?.map(approvalIdOf),
      onceRule: 'S2',
      ownRule: 'S2',
      mayWait: true,
    },
    openEnd,
    faults,
  );
  return faults.inOrder;
}

const itemsOf = ({ content }: Loose): readonly Loose[] => listIn(content).map(asLoose);
const callIdOf = (item: Loose): string => asText(item.toolCallId);
const approvalIdOf = (item: Loose): string => asText(item.approvalId);

const ITEMS: Readonly<Record<string, readonly unknown[]>> = {
  user: ['text', 'image', 'file'],
  assistant: [
    'text',
    'file',
    'reasoning',
    'reasoning-file',
    'custom',
    'tool-call',
    'tool-result',
    'tool-approval-request',
  ],
  tool: ['tool-result', 'tool-approval-response'],
};
const ROLE = z.enum(['system', 'user', 'assistant', 'tool']);

const bytes = z.union([text, z.instanceof(URL), z.instanceof(Uint8Array), z.instanceof(ArrayBuffer)]);
/** Bare up to version 6 of the SDK; version 7 names the kind. */
const data = z.union([
  bytes,
  z.object({ type: z.literal('data'), data: bytes }),
  z.object({ type: z.literal('url'), url: bytes }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reference'), reference: object }),
]);
const file = z.object({ data, mediaType: text });
const textShape = z.object({ text: z.string() });
const idShape = { toolCallId: text, toolName: text };
const SHAPES: Shapes<AiSdkRule> = {
  text: ['S0', textShape],
  reasoning: ['S0', textShape],
  image: ['S9', z.object({ image: bytes })],
  file: ['S9', file],
  'reasoning-file': ['S9', file],
  custom: ['S0', z.object({ kind: text })],
  'tool-call': [
    'S7',
    z.union([
      z.object({ ...idShape, input: object }),
      z.object({
        ...idShape,
        input: z.string(),
        providerOptions: z.record(z.string(), z.object({ itemId: text })),
      }),
    ]),
  ],
  'tool-result': ['S7', z.object(idShape)],
  'tool-approval-request': ['S2', z.object({ approvalId: text, toolCallId: text })],
  'tool-approval-response': ['S2', z.object({ approvalId: text, approved: z.boolean() })],
};

const OUTPUT = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'error-text']), value: z.string() }),
  z.object({ type: z.enum(['json', 'error-json']), value: z.custom((value) => value !== undefined) }),
  z.object({ type: z.literal('content'), value: z.array(z.object({ type: z.string() })) }),
  z.object({ type: z.literal('execution-denied') }),
]);
const address = z.object({ url: text });
const inline = z.object({ data: z.string(), mediaType: text });
const upload = z.object({ fileId: z.union([text, object]) });
const INNER: Shapes<AiSdkRule> = {
  text: ['S7', textShape],
  custom: ['S7', object],
  file: ['S9', file],
  'file-url': ['S9', address],
  'image-url': ['S9', address],
  'file-data': ['S9', inline],
  'image-data': ['S9', inline],
  media: ['S9', inline],
  'file-id': ['S9', upload],
  'image-file-id': ['S9', upload],
};

function checkMessage(message: Loose, at: number, faults: Faults<AiSdkRule>): void {
  const { role, content, providerOptions } = message;
  faults.demand('S0', at, object.optional(), providerOptions, 'providerOptions');
  faults.demand('S0', at, ROLE, role, 'role');
  const items = z.array(z.unknown()).min(1);
  const shape = role === 'system' ? text : role === 'tool' ? items : z.union([text, items]);
  faults.demand('S0', at, shape, content, 'content');
  const allowed = entryOf(ITEMS, role) ?? [];
  for (const item of itemsOf(message)) {
    if (!allowed.includes(item.type))
      faults.add('S0', at, `a ${asText(role)} message holds ${asText(item.type)}`);
    faults.demandPart(SHAPES, at, item);
    if (item.type === 'tool-result') checkOutput(asLoose(item.output), at, faults);
  }
}

function checkOutput(output: Loose, at: number, faults: Faults<AiSdkRule>): void {
  faults.demand('S7', at, OUTPUT, output, 'output');
  for (const inner of output.type === 'content' ? listIn(output.value).map(asLoose) : []) {
    if (!Object.hasOwn(INNER, asText(inner.type)))
      faults.add('S7', at, `a result holds ${asText(inner.type)}`);
    faults.demandPart(INNER, at, inner);
  }
}

/** Checks one message: calls have different names, results belong to provider calls, requests follow their call. */
function checkAssistant(message: Loose, at: number, providers: Set<string>, faults: Faults<AiSdkRule>): void {
  const here = new Set<string>();
  for (const item of itemsOf(message)) {
    const id = callIdOf(item);
    if (item.type === 'tool-call') {
      if (here.has(id)) faults.add('S6', at, `two calls are called ${id}`);
      here.add(id);
      if (item.providerExecuted === true) providers.add(id);
    } else if (item.type === 'tool-result' && !providers.has(id)) {
      faults.add('S3', at, `the result of ${id} is in an assistant message, and no provider ran it`);
    } else if (item.type === 'tool-approval-request' && !here.has(id)) {
      faults.add('S2', at, `approval is asked for ${id}, which is no call before it`);
    }
  }
}
