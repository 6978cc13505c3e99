import { checkVersion, orMissing, SpillwayError } from '../../../errors/index.js';
import { sourcesOf, withEngine } from '../open.js';
import { EXIT, type Terminal } from '../terminal.js';
import { storeOf, type StoredOptions } from './within.js';

/** Serves recall and explain on standard input and output until the client closes the input. */
export async function mcp(options: StoredOptions, terminal: Terminal, version: string): Promise<number> {
  const { createMcpServer, StdioServerTransport } = await loaded();
  const sources = sourcesOf(options, terminal, await storeOf(options, terminal));
  return withEngine(sources, async (spillway) => {
    const transport = new StdioServerTransport();
    const ended = new Promise<void>((resolve, reject) => {
      process.stdin.once('end', resolve);
      // After the transport closes, nothing is read, and the end of the input would never come.
      transport.onclose = () => reject(tooLong());
    });
    const underWay = new Set<Promise<unknown>>();
    await Promise.all([ended, createMcpServer(spillway, version, underWay).connect(transport)]);
    // A script closes the input right after its last question.
    await Promise.all(underWay);
    return EXIT.done;
  });
}

const tooLong = (): SpillwayError =>
  new SpillwayError('INPUT_FORMAT', {
    subject: 'standard input',
    found: 'a message that is too long to read',
    allowed: 'one message a line, of 10 MiB at most',
    remedy: 'Check what the client sends. It may restart the server.',
  });

/** Rejects with `PACKAGE_MISSING` and `PACKAGE_VERSION`. */
async function loaded() {
  checkVersion('@modelcontextprotocol/sdk', 'spillway mcp');
  const told = orMissing('spillway mcp');
  const { createMcpServer } = await import('../mcp-server.js').catch(told);
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js').catch(told);
  return { createMcpServer, StdioServerTransport };
}
