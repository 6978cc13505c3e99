import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { listSessions, SpillwayError, type Spillway } from '../../index.js';
import { isText } from '../../formats/index.js';
import { find, openStored, recall, type Verb } from '../operations/index.js';

const NONE = 'The store has no session yet.';

type Ask<Said> = (asked: Said) => Promise<string>;
type SessionArgument = { readonly session?: string | null };

/**
 * Recall and explain as tools of the Model Context Protocol, over the sessions of one store. The tools change nothing.
 * `pending` holds the calls that are not answered yet.
 */
export function createMcpServer(
  spillway: Spillway,
  version: string,
  pending = new Set<Promise<unknown>>(),
): McpServer {
  const server = new McpServer({ name: 'spillway', version });
  const session = z.string().nullish().describe('Id of the session. Default: the session written to last.');
  const openSession = async ({ session: id }: SessionArgument) => {
    const [newest] = await spillway.store.threads({ ...(isText(id) && { sessionId: id }), limit: 1 });
    if (!newest && !isText(id)) throw new Error(NONE);
    if (!newest)
      throw new SpillwayError('SESSION_UNKNOWN', {
        subject: 'session',
        found: id,
        remedy: 'Name a session that the tool `sessions` lists.',
      });
    // A session kept by a library may have no primary agent.
    const agents = await spillway.store.threads({ sessionId: newest.sessionId });
    return openStored(spillway, agents.find(({ agentPath }) => agentPath === 'primary') ?? newest);
  };

  const tool = <Said>(name: string, description: string, inputSchema: z.ZodRawShape, ask: Ask<Said>): void =>
    void server.registerTool(
      name,
      { description, annotations: { readOnlyHint: true }, inputSchema },
      (asked: object) => {
        const answer = toolResult(() => ask(asked as Said));
        pending.add(answer);
        return answer.finally(() => pending.delete(answer));
      },
    );
  /** Adds an operators' verb as a tool that takes the id of a session. */
  const verbTool = <Output>(
    name: string,
    verb: Verb<z.core.$ZodShape, Output>,
    textOf: (output: Output) => string,
  ): void =>
    tool(name, verb.summary, { session, ...verb.input.shape }, async (asked: SessionArgument & object) =>
      textOf(await verb.run(await openSession(asked), asked)),
    );

  tool('sessions', 'Lists the sessions that are kept, newest first.', {}, async () => {
    const sessions = await listSessions(spillway.store, { limit: 50 });
    const lines = sessions.map(({ sessionId, agentPath, messages, fault = '' }) =>
      `${sessionId} ${agentPath}: ${messages} messages ${fault}`.trimEnd(),
    );
    return lines.join('\n') || NONE;
  });
  verbTool('recall', recall, ({ text }) => text);
  verbTool('explain', find, ({ verdict, call, said, sentIn }) =>
    [
      `call ${call.call}: ${verdict}`,
      ...said.map(({ id, status, by }) => `${id}: ${status}${by ? `, ${by.stage}: ${by.reason}` : ''}`),
      ...(sentIn.length > 0 ? [`sent in ${sentIn.join(', ')}`] : []),
    ].join('\n'),
  );
  return server;
}

/** A fault becomes an answer that the model can read. */
async function toolResult(ask: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await ask() }] };
  } catch (error) {
    return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
  }
}
