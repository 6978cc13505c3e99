import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3Message,
  LanguageModelV3Middleware,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider';
import type { LanguageModelMiddleware } from 'ai';
import { aiSdk, type Fields } from '../../formats/index.js';
import {
  firstCount,
  offerRecall,
  reportUsage,
  streamedAnswers,
  usageIn,
  type RecallTurn,
  type Turn,
} from '../endpoints/index.js';
import type { Flight, Prepared, Session } from '../../session/index.js';
import { sendable, storable } from './ai-sdk-files.js';
import {
  maxRecallsOf,
  recalledAnswer,
  resolveSession,
  turnOf,
  type DropInOptions,
  type SessionFor,
} from './drop-in.js';
import { holdIterator } from './hold-stream.js';
import { AI_SDK_RECALL } from './recall-ai-sdk.js';

export type { DropInOptions, SessionFor } from './drop-in.js';

/** The parameters of a model call (prompt, tools, options) as the installed version of the SDK declares them. */
export type AiSdkCall = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['params'];

/**
 * Middleware for `wrapLanguageModel`: compacts each prompt before `generateText`, `streamText` or an agent sends it to
 * the model. New messages of a prompt are appended to the session. Reported usage calibrates it, and a prompt that the
 * provider rejects as too long is compacted and sent again. A session must be of the format `ai-sdk`.
 *
 *     const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: compactAiSdk(spillway) });
 */
export function compactAiSdk(
  session: SessionFor<AiSdkCall>,
  { commands, recall }: DropInOptions = {},
): LanguageModelMiddleware {
  const sessionOf = resolveSession(session, 'ai-sdk', 'compactAiSdk');
  const maxRecalls = maxRecallsOf(recall);
  const turn = <First, Answer>(
    model: LanguageModelV3,
    given: Call,
    modelCall: ModelCall<First, Answer>,
  ): Promise<Answer> => {
    const { offered: params, last } = offerRecall(AI_SDK_RECALL, given, maxRecalls) ?? { offered: given };
    return turnOf(
      sessionOf,
      params,
      {
        ...turnFieldsOf(model, params),
        commands,
        send: async (request, place) => {
          const ask = (prepared: Prepared, isLast: boolean): Promise<First> =>
            modelCall.ask(callOf(isLast && last ? last : params, place.session, prepared), place.session);
          const recalls = last && { ...place, wire: AI_SDK_RECALL, maxRecalls, ask };
          return modelCall.answer(await ask(request, false), place.flight, recalls);
        },
        ownAnswer: (text) => modelCall.ownAnswer(text),
      },
      () => modelCall.sendUnchanged(),
    );
  };
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ model, params }) =>
      turn<LanguageModelV3GenerateResult, LanguageModelV3GenerateResult>(model, params, {
        ask: async (call, found) => {
          const answer = await model.doGenerate(call);
          await reportUsage(found, usageIn(aiSdk, answer));
          return answer;
        },
        answer: (first, _, recalls) => (recalls ? recalledAnswer(first, recalls) : first),
        ownAnswer: (text) => ({
          content: [{ type: 'text', text }],
          finishReason: STOP,
          usage: NO_USAGE,
          warnings: [],
        }),
        sendUnchanged: () => model.doGenerate(params),
      }),
    wrapStream: ({ model, params }) => {
      let newest: ReadableStreamDefaultReader<StreamPart> | undefined;
      return turn<ReportingStream, LanguageModelV3StreamResult>(model, params, {
        ask: async (call, found) => {
          const answer = await model.doStream(call);
          newest = answer.stream.getReader();
          return { ...answer, stream: reportingParts(newest, found) };
        },
        answer: (first, flight, recalls) => {
          const faultEvent = (error: unknown): Fields | undefined =>
            params.abortSignal?.aborted ? undefined : { type: 'error', error };
          const further = recalls && {
            ...recalls,
            ask: async (request: Prepared, isLast: boolean) => (await recalls.ask(request, isLast)).stream,
          };
          const parts = further ? streamedAnswers(first.stream, further, faultEvent) : first.stream;
          const cancel = (): void => newest && cancelQuietly(newest);
          const held = holdIterator(parts as AsyncGenerator<StreamPart>, flight, params.abortSignal, cancel);
          return { ...first, stream: readable(held) };
        },
        ownAnswer: (text) => ({ stream: readable(ownStream(text)) }),
        sendUnchanged: () => model.doStream(params),
      });
    },
  } satisfies LanguageModelV3Middleware;
}

/** A way to call a model: for a whole answer or for a stream. */
interface ModelCall<First, Answer> {
  /** Calls the model and reports the usage of its answer. */
  ask(call: Call, session: Session): Promise<First>;
  /** The answer for the client; recalls in the first answer are answered if `recalls` is given. */
  answer(first: First, flight: Flight, recalls: RecallTurn<First> | undefined): Answer | Promise<Answer>;
  /** An answer of Spillway's own, instead of the model's. */
  ownAnswer(text: string): Answer;
  /** The original call, for a request that belongs to no session. */
  sendUnchanged(): PromiseLike<Answer>;
}

type Call = LanguageModelV3CallOptions;

function turnFieldsOf(
  model: LanguageModelV3,
  params: LanguageModelV3CallOptions,
): Pick<Turn<never>, 'body' | 'model' | 'maxOutputTokens' | 'signal'> {
  const { prompt, tools, abortSignal } = params;
  return {
    body: { messages: prompt.map(storable), tools: tools ?? [] },
    model: model.modelId,
    maxOutputTokens: firstCount(params, 'maxOutputTokens'),
    signal: abortSignal,
  };
}

/** The call, with the prepared messages as its prompt. */
function callOf(params: Call, session: Session, request: Prepared): Call {
  return { ...untrimmed(params, session), prompt: promptOf(request) };
}

/** Removes from the options of each provider what would let the provider truncate the request. */
function untrimmed(params: LanguageModelV3CallOptions, session: Session): LanguageModelV3CallOptions {
  const { providerOptions } = params;
  if (!providerOptions) return params;
  const options = Object.entries(providerOptions).map(([name, of]) => [name, session.untrimmed(of)]);
  return { ...params, providerOptions: Object.fromEntries(options) as typeof providerOptions };
}

function promptOf({ messages, beside }: Prepared): LanguageModelV3Message[] {
  const system = typeof beside.system === 'string' ? [{ role: 'system', content: beside.system }] : [];
  return [...system, ...messages].map((message) => sendable(message as LanguageModelV3Message));
}

const STOP = { unified: 'stop', raw: undefined } as const;
const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

type StreamPart = LanguageModelV3StreamPart;

interface ReportingStream extends Omit<LanguageModelV3StreamResult, 'stream'> {
  readonly stream: AsyncGenerator<StreamPart>;
}

async function* reportingParts(
  stream: ReadableStreamDefaultReader<StreamPart>,
  session: Session,
): AsyncGenerator<StreamPart> {
  const content: StreamPart[] = [];
  try {
    for (let next = await stream.read(); !next.done; next = await stream.read()) {
      if (next.value.type === 'tool-call') content.push(next.value);
      if (next.value.type === 'finish')
        await reportUsage(session, usageIn(aiSdk, { ...next.value, content }));
      yield next.value;
    }
  } finally {
    cancelQuietly(stream);
  }
}

/** Errors are ignored: the reader of a failed stream already has its error. */
const cancelQuietly = (stream: ReadableStreamDefaultReader<StreamPart>): void =>
  void stream.cancel().catch(() => undefined);

function readable(parts: AsyncIterableIterator<StreamPart>): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await parts.return?.();
      },
    },
    // Nothing is read before the consumer asks, so an unread stream does not hold the session.
    { highWaterMark: 0 },
  );
}

async function* ownStream(text: string): AsyncGenerator<StreamPart> {
  const id = 'spillway';
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id };
  yield { type: 'text-delta', id, delta: text };
  yield { type: 'text-end', id };
  yield { type: 'finish', finishReason: STOP, usage: NO_USAGE };
}
