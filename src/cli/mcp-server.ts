import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod/v4';
import { listSessions, recalledText, type RecallRequest, type Spillway } from '../index.js';

interface Answer {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** Recall and explain as tools of the Model Context Protocol, over the sessions of one store. Nothing is changed by them. */
export function createMcpServer(spillway: Spillway, version: string): McpServer {
  const server = new McpServer({ name: 'spillway', version });
  const session = z.string().optional().describe('Id of the session; the one written to last where absent.');
  const opened = async (id: string | undefined) => {
    const [newest] =
      id === undefined ? await listSessions(spillway.store, { limit: 1 }) : [{ sessionId: id }];
    if (!newest) throw new Error('The store has no session yet.');
    return spillway.open({ id: newest.sessionId });
  };

  server.registerTool(
    'sessions',
    { description: 'Lists the sessions that are kept, newest first.', annotations: { readOnlyHint: true } },
    () =>
      answered(async () => {
        const sessions = await listSessions(spillway.store, { limit: 50 });
        return sessions
          .map(({ sessionId, agentPath, messages }) => `${sessionId} ${agentPath}: ${messages} messages`)
          .join('\n');
      }),
  );
  server.registerTool(
    'recall',
    {
      description:
        'Reads back the original words of a session, compacted or not: by handle (m12, m3..m9) or by words.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        session,
        handle: z
          .string()
          .optional()
          .describe('As it stands in a mark: m12, m12#0, m3..m9, "m4, m69", m80@1200.'),
        query: z.string().optional().describe('Words to search for.'),
        limit: z.number().int().optional(),
        maxTokens: z.number().int().optional(),
      },
    },
    ({ session: id, ...asked }) =>
      answered(async () => recalledText(await (await opened(id)).recall(asked as RecallRequest))),
  );
  server.registerTool(
    'explain',
    {
      description:
        'Says whether words reached the model in a call: sent, compacted out, said later, or never; and by what.',
      annotations: { readOnlyHint: true },
      inputSchema: { session, words: z.string().min(1), call: z.number().int().min(1).optional() },
    },
    ({ session: id, words, call }) =>
      answered(async () => {
        const { verdict, call: asked, said, sentIn } = await (await opened(id)).operator.find(words, call);
        const lines = said.map(
          ({ id: message, status, by }) => `${message}: ${status}${by ? `, ${by.stage}: ${by.reason}` : ''}`,
        );
        return [
          `call ${asked.call}: ${verdict}`,
          ...lines,
          ...(sentIn.length > 0 ? [`sent in ${sentIn.join(', ')}`] : []),
        ].join('\n');
      }),
  );
  return server;
}

/** A fault is an answer that the model can read. */
async function answered(ask: () => Promise<string>): Promise<Answer> {
  try {
    return { content: [{ type: 'text', text: await ask() }] };
  } catch (error) {
    return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
  }
}
