import type { AIMessage, BaseMessage, MessageFieldWithRole, SystemMessage } from '@langchain/core/messages';
import { checkVersion, orMissing } from '../../errors/index.js';
import { firstCount, offerRecall, reportUsage, usageIn } from '../endpoints/index.js';
import type { Prepared } from '../../session/index.js';
import { bareMessage, isFields, langchain, listOf, type Fields } from '../../formats/index.js';
import {
  maxRecallsOf,
  recalledAnswer,
  resolveSession,
  turnOf,
  type DropInOptions,
  type SessionFor,
} from './drop-in.js';
import { LANGCHAIN_RECALL } from './recall-langchain.js';

export type { DropInOptions, SessionFor } from './drop-in.js';

/** The fields of a model request that are used. LangChain's own request has more; the others are passed on. */
export interface ModelRequest {
  readonly model: unknown;
  readonly messages: BaseMessage[];
  readonly systemMessage: SystemMessage;
  readonly tools: readonly unknown[];
  readonly modelSettings?: Fields;
  /** `configurable` holds what the agent was invoked with. */
  readonly runtime?: {
    readonly configurable?: { readonly thread_id?: string };
    readonly signal?: unknown;
  };
}

/** The argument of `createMiddleware`. */
export interface LangChainCompaction {
  readonly name: 'spillway';
  /** Typed `unknown` because LangChain's types are generic over state and context, which are passed on unchanged. */
  readonly wrapModelCall: (request: unknown, handler: unknown) => Promise<AIMessage>;
}

/**
 * For `createMiddleware` of `langchain`: each model call of the agent is compacted, while the agent's state keeps the
 * whole history. New messages are appended to the session. Reported usage calibrates the session, and a request that
 * the provider rejects as too long is compacted and sent once more. A session must be of the format `langchain`.
 *
 *     const agent = createAgent({ model, tools, middleware: [createMiddleware(compactLangChain(spillway))] });
 */
export function compactLangChain(
  session: SessionFor<ModelRequest>,
  { commands, recall }: DropInOptions = {},
): LangChainCompaction {
  checkVersion('@langchain/core', 'compactLangChain');
  const sessionOf = resolveSession(session, 'langchain', 'compactLangChain');
  const maxRecalls = maxRecallsOf(recall);
  return {
    name: 'spillway',
    wrapModelCall: async (given, handler) => {
      const original = given as ModelRequest & Fields;
      const recalls = offerRecall(LANGCHAIN_RECALL, original, maxRecalls);
      const request = recalls?.offered ?? original;
      const last = recalls && !hasOwnTools(original) ? recalls.last : original;
      const call = handler as (request: ModelRequest) => unknown;
      const { AIMessage, coerceMessageLikeToMessage } = await import('@langchain/core/messages').catch(
        orMissing('compactLangChain'),
      );
      const { systemMessage, modelSettings } = request;
      const instructions = systemMessage.content.length > 0 ? [systemMessage] : [];
      const tools = await toolSchemas(request.tools);
      return turnOf(
        sessionOf,
        request,
        {
          body: { messages: [...instructions, ...request.messages], tools },
          commands,
          ...turnFieldsOf(request),
          send: async (prepared, place) => {
            let newest: unknown;
            const ask = async ({ messages }: Prepared, isLast: boolean): Promise<unknown> => {
              // As plain fields, because LangChain cannot coerce the stored form of a rarely used class.
              const all = messages.map((message) =>
                coerceMessageLikeToMessage(bareMessage(message as Fields) as unknown as MessageFieldWithRole),
              );
              const [first, ...rest] = all;
              const isSystem = instructions.length > 0 && first?.getType() === 'system';
              newest = await call({
                ...(isLast ? last : request),
                ...(modelSettings && { modelSettings: place.session.untrimmed(modelSettings) }),
                ...(isSystem && { systemMessage: first as SystemMessage }),
                messages: isSystem ? rest : all,
              });
              const answer = messageIn(newest);
              await reportUsage(place.session, usageIn(langchain, answer));
              return answer;
            };
            const first = await ask(prepared, false);
            const turn = { ...place, wire: LANGCHAIN_RECALL, maxRecalls, ask };
            if (recalls) await recalledAnswer(first, turn);
            // `recalledAnswer` changes the newest message in place, so `newest` holds the change even if wrapped.
            return newest as AIMessage;
          },
          ownAnswer: (words) => new AIMessage(words),
        },
        async () => (await call(original)) as AIMessage,
      );
    },
  };
}

/** The model's own message. After a structured answer, LangChain returns an object around the message. */
function messageIn(answer: unknown): unknown {
  if (!isFields(answer) || answer.structuredResponse === undefined) return answer;
  return listOf(answer.messages)[0];
}

/** LangChain adds tools of its own to a request for a structured answer. */
const hasOwnTools = ({ responseFormat }: Fields): boolean => responseFormat !== undefined;

function turnFieldsOf({ model, modelSettings, runtime }: ModelRequest) {
  const modelName = isFields(model) ? (model.model ?? model.modelName) : model;
  const { signal }: Fields = isFields(runtime) ? runtime : {};
  return {
    model: typeof modelName === 'string' ? modelName : undefined,
    maxOutputTokens:
      firstCount(modelSettings, 'max_completion_tokens', 'max_tokens', 'maxTokens', 'maxOutputTokens') ??
      firstCount(model, 'maxTokens', 'maxOutputTokens'),
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}

/** Tools as the provider gets them, so that the budget counts them. */
async function toolSchemas(tools: readonly unknown[]): Promise<readonly Fields[]> {
  const { toJsonSchema } = await import('@langchain/core/utils/json_schema').catch(
    orMissing('compactLangChain'),
  );
  return tools.filter(isFields).map((tool) => {
    if (tool.schema === undefined) return tool;
    const { name, description } = tool;
    return { name, description, schema: toJsonSchema(tool.schema as Parameters<typeof toJsonSchema>[0]) };
  });
}
