import { SpillwayError } from '../../errors/index.js';
import { sourcesOf, withEngine } from '../engine.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';
import { storeOf, type StoredOptions } from './within.js';

/** Serves recall and explain on standard input and output, until the client hangs up. */
export async function mcp(options: StoredOptions, version: string, terminal: Terminal): Promise<number> {
  const { createMcpServer, StdioServerTransport } = await loaded();
  const sources = sourcesOf(options, terminal, await storeOf(options, terminal));
  return withEngine(sources, async (spillway) => {
    const transport = new StdioServerTransport();
    const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve));
    await createMcpServer(spillway, version).connect(transport);
    await ended;
    return EXIT.done;
  });
}

/** Rejects with `PACKAGE_MISSING`. */
async function loaded() {
  try {
    const { createMcpServer } = await import('../mcp-server.js');
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    return { createMcpServer, StdioServerTransport };
  } catch (cause) {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isMissing || !String(message).includes('@modelcontextprotocol/sdk')) throw cause;
    throw new SpillwayError('PACKAGE_MISSING', {
      subject: 'spillway mcp',
      found: 'no package @modelcontextprotocol/sdk',
      remedy: 'Install it where spillway is installed: npm install @modelcontextprotocol/sdk@1.',
      cause,
    });
  }
}
