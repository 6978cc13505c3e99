import { checkVersion, orMissing, SpillwayError } from '../../../errors/index.js';
import { sourcesOf, withEngine } from '../open.js';
import { EXIT, type Terminal } from '../terminal.js';
import { storeOf, type StoredOptions } from './session-action.js';

/** Serves recall and explain on standard input and output until the client closes the input. */
export async function mcp(options: StoredOptions, terminal: Terminal, version: string): Promise<number> {
  const { createMcpServer, StdioServerTransport } = await loadPackages();
  const sources = sourcesOf(options, terminal, await storeOf(options, terminal));
  return withEngine(sources, async (spillway) => {
    const transport = new StdioServerTransport();
    const ended = new Promise<void>((resolve, reject) => {
      process.stdin.once('end', resolve);
      // After the transport closes, nothing is read, and the end of the input would never come.
      transport.onclose = () => reject(tooLong());
    });
    const pending = new Set<Promise<unknown>>();
    await Promise.all([ended, createMcpServer(spillway, version, pending).connect(transport)]);
    // A script closes the input right after its last question.
    await Promise.all(pending);
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
async function loadPackages() {
  checkVersion('@modelcontextprotocol/sdk', 'spillway mcp');
  const onMissing = orMissing('spillway mcp');
  const { createMcpServer } = await import('../mcp-server.js').catch(onMissing);
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js').catch(onMissing);
  return { createMcpServer, StdioServerTransport };
}
