import type { AIMessage, BaseMessage, MessageFieldWithRole, SystemMessage } from '@langchain/core/messages';
import { firstCount, report, usageIn, withoutRecall } from '../endpoints/index.js';
import type { Prepared } from '../session/index.js';
import { isFields, langchain, listOf, type Fields } from '../wire/index.js';
import type { DropInOptions } from './options.js';
import { LANGCHAIN_RECALL } from './recall-langchain.js';
import { answeringRecalls, mostRecalls, type Further } from './recall-loop.js';
import type { Sent } from './sdk-answer.js';
import { resolveSession, type SessionFor } from './session-for.js';
import { takeTurn } from './turns.js';

export type { DropInOptions } from './options.js';
export type { SessionFor } from './session-for.js';

/** What is asked of a model request: LangChain's own has more, and keeps it. */
export interface ModelRequest {
  readonly model: unknown;
  readonly messages: BaseMessage[];
  readonly systemMessage: SystemMessage;
  readonly tools: readonly unknown[];
  readonly modelSettings?: Fields;
  readonly runtime?: unknown;
}

/** What `createMiddleware` takes. */
export interface LangChainCompaction {
  readonly name: 'spillway';
  /** LangChain's own types are generic over state and context, which pass through untouched. */
  readonly wrapModelCall: (request: unknown, handler: unknown) => Promise<AIMessage>;
}

/**
 * For `createMiddleware` of `langchain`: each model call of the agent gets what fits, while the agent's state keeps the
 * whole history. What is new in it goes into the session; reported usage calibrates it, and a request that the provider
 * finds too long is compacted and sent once more. A session must be of the format `langchain`.
 *
 *     const agent = createAgent({ model, tools, middleware: [createMiddleware(compactLangChain(spillway))] });
 */
export function compactLangChain(
  session: SessionFor<ModelRequest>,
  { commands, recall }: DropInOptions = {},
): LangChainCompaction {
  const sessionOf = resolveSession(session, 'langchain', 'compactLangChain');
  const most = mostRecalls(recall);
  return {
    name: 'spillway',
    wrapModelCall: async (given, handler) => {
      const offered = most > 0 ? LANGCHAIN_RECALL.offer(given as Fields) : undefined;
      const request = (offered ?? given) as ModelRequest;
      const last = (
        offered && !hasOwnTools(given as Fields)
          ? withoutRecall(LANGCHAIN_RECALL, given as Fields, offered)
          : given
      ) as ModelRequest;
      const call = handler as (request: ModelRequest) => unknown;
      const { AIMessage, coerceMessageLikeToMessage } = await import('@langchain/core/messages');
      const { systemMessage, modelSettings } = request;
      const instructions = systemMessage.content.length > 0 ? [systemMessage] : [];
      const tools = await described(request.tools);
      const { model, maxOutputTokens, signal } = about(request);
      return takeTurn(
        sessionOf,
        request,
        (found) => ({
          body: { messages: [...instructions, ...request.messages], tools },
          commands,
          model,
          maxOutputTokens,
          signal,
          send: async (prepared, flight) => {
            let newest: unknown;
            const ask = async ({ messages }: Prepared, { isLast }: Further): Promise<Sent> => {
              const all = messages.map((message) =>
                coerceMessageLikeToMessage(message as MessageFieldWithRole),
              );
              const [first, ...rest] = all;
              const isSystem = instructions.length > 0 && first?.getType() === 'system';
              newest = await call({
                ...(isLast ? last : request),
                ...(modelSettings && { modelSettings: found.untrimmed(modelSettings) }),
                ...(isSystem && { systemMessage: first as SystemMessage }),
                messages: isSystem ? rest : all,
              });
              const answer = messageIn(newest);
              await report(found, usageIn(langchain, answer));
              return { data: answer };
            };
            const first = await ask(prepared, { isLast: false });
            const turn = { session: found, flight, wire: LANGCHAIN_RECALL, most, send: ask };
            if (offered) await answeringRecalls(first, turn);
            // The newest message was changed in its place, wherever it stands.
            return newest as AIMessage;
          },
          say: (words) => new AIMessage(words),
        }),
        async () => (await call(given as ModelRequest)) as AIMessage,
      );
    },
  };
}

/** The model's own message, which LangChain gives with more around it where it read a structured answer from it. */
function messageIn(answer: unknown): unknown {
  if (!isFields(answer) || answer.structuredResponse === undefined) return answer;
  return listOf(answer.messages)[0];
}

/** LangChain adds tools of its own where an answer is to be structured. */
const hasOwnTools = ({ responseFormat }: Fields): boolean => responseFormat !== undefined;

function about({ model, modelSettings, runtime }: ModelRequest): {
  readonly model?: string;
  readonly maxOutputTokens: number | undefined;
  readonly signal?: AbortSignal;
} {
  const named = isFields(model) ? (model.model ?? model.modelName) : model;
  const signal = isFields(runtime) && runtime.signal instanceof AbortSignal ? runtime.signal : undefined;
  const maxOutputTokens =
    firstCount(modelSettings, 'max_completion_tokens', 'max_tokens', 'maxTokens', 'maxOutputTokens') ??
    firstCount(model, 'maxTokens', 'maxOutputTokens');
  return {
    ...(typeof named === 'string' && { model: named }),
    maxOutputTokens,
    ...(signal && { signal }),
  };
}

/** Tools as the provider will be told of them; counted in the budget. */
async function described(tools: readonly unknown[]): Promise<readonly Fields[]> {
  const { toJsonSchema } = await import('@langchain/core/utils/json_schema');
  return tools.filter(isFields).map((tool) => {
    if (tool.schema === undefined) return tool;
    const { name, description } = tool;
    return { name, description, schema: toJsonSchema(tool.schema as Parameters<typeof toJsonSchema>[0]) };
  });
}
