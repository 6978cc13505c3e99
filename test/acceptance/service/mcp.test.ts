import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createMcpServer } from '../../../src/cli/mcp-server.js';
import { openStore } from '../../../src/index.js';
import { engine, prose, read, says, step, system, user } from '../support.js';

describe('spillway mcp', () => {
  it('N11: gives recall and explain to any client of the Model Context Protocol', async () => {
    const spillway = await engine(4_000, {}, { store: await openStore('memory:') });
    const session = await spillway.open({ id: 'mill' });
    const steps = Array.from({ length: 12 }, (_, i) => [
      ...step('read', { path: `src/${i}.ts` }, `Wall ${i} is ${i}17 cm. ${prose(400, i)}`),
      says('Read.'),
    ]).flat();
    await session.append(...read([system('Be brief.'), user('Build the mill.'), ...steps, user('And now?')]));
    await session.prepare();
    await session.observe({ inputTokens: 2_000, outputTokens: 5 });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await createMcpServer(spillway, '1').connect(ours);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(theirs);
    const ask = async (name: string, given: object): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: given as Record<string, unknown> });
      return (content as { text: string }[])[0]!.text;
    };
    expect(await ask('sessions', {})).toContain('mill primary: 39 messages');
    expect(await ask('recall', { query: 'Wall 0 is 017 cm' })).toContain('Wall 0 is 017 cm.');
    expect(await ask('explain', { session: 'mill', words: prose(400, 0).slice(0, 80) })).toContain(
      'call 1: compacted-out',
    );
    expect(await ask('recall', { handle: 'm999' })).toContain('MESSAGE_UNKNOWN');
    await client.close();
  });
});
