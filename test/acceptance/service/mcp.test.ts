import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createMcpServer } from '../../../src/faces/cli/mcp-server.js';
import { openStore } from '../../../src/index.js';
import { engine, prose, read, says, step, system, temporaryFolder, user } from '../support.js';

const folder = temporaryFolder();

describe('spillway mcp', () => {
  it('N11: offers sessions, recall and explain to a client of the Model Context Protocol', async () => {
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
    // Models write numbers as text, and null for what they leave out.
    const asText = await ask('recall', { query: 'mill', limit: '1', maxTokens: null });
    expect(asText.match(/^\[m\d+/gm)).toHaveLength(1);
    expect(await ask('explain', { words: 'Build the mill.', call: null })).toContain('call 1: sent');
    expect(await ask('recall', { handle: 'm999' })).toContain('MESSAGE_UNKNOWN');
    expect(await ask('recall', { session: 'weir', query: 'Wall' })).toContain('SESSION_UNKNOWN');
    expect(await ask('explain', { session: 'weir', words: 'Wall' })).toContain('SESSION_UNKNOWN');
    await client.close();
  });

  it('N11: recalls from the only agent of a session, and treats null as no session', async () => {
    const store = await openStore('memory:');
    const spillway = await engine(4_000, {}, { store });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await createMcpServer(spillway, '1').connect(ours);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(theirs);
    const ask = async (name: string, given: object): Promise<unknown> =>
      (await client.callTool({ name, arguments: { ...given } })).content;
    const none = [{ type: 'text', text: 'The store has no session yet.' }];
    expect(await ask('sessions', {})).toEqual(none);
    expect(await ask('recall', { query: 'wall' })).toEqual(none);
    const session = await spillway.open({ id: 'mill', agentPath: 'primary/mason' });
    await session.append(...read([user('Build.'), says('The wall is 17 cm.')]));
    for (const given of [{}, { session: null }, { session: 'mill' }])
      expect(JSON.stringify(await ask('recall', { ...given, handle: 'm1' }))).toContain('The wall is 17 cm.');
    expect((await store.threads({})).map(({ agentPath }) => agentPath)).toEqual(['primary/mason']);
    await client.close();
  });

  it('N11: runs over standard input and output, on the store that it is given', async () => {
    const store = `sqlite:${join(folder.path, 'mill.db')}`;
    const spillway = await engine(4_000, {}, { store });
    const session = await spillway.open({ id: 'mill' });
    await session.append(...read([system('Be brief.'), user('Build the mill.'), says('The wall is 17 cm.')]));
    await spillway.close();
    const command = ['--import', 'tsx', 'src/faces/cli/spillway.ts', 'mcp', '--store', store];
    const transport = new StdioClientTransport({ command: process.execPath, args: command, stderr: 'pipe' });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['explain', 'recall', 'sessions']);
    const ask = async (name: string, given: Record<string, unknown>): Promise<unknown> =>
      (await client.callTool({ name, arguments: given })).content;
    expect(JSON.stringify(await ask('recall', { handle: 'm2' }))).toContain('The wall is 17 cm.');
    // Wrong arguments are reported, and the server goes on.
    for (const odd of [{ query: 5 }, { handle: '../x' }])
      expect(JSON.stringify(await ask('recall', odd).catch(String))).toMatch(/INVALID|UNKNOWN|nvalid/);
    expect(JSON.stringify(await ask('sessions', {}))).toContain('mill primary: 3 messages');
    await client.close();
    // A script closes its input after its last question.
    const about = {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const call = { method: 'tools/call', params: { name: 'recall', arguments: { query: 'wall' } } };
    const lines = [{ method: 'initialize', params: about }, ...Array.from({ length: 40 }, () => call)]
      .map((one, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...one })}\n`)
      .join('');
    const asked = spawnSync(process.execPath, command, { input: lines, encoding: 'utf8' });
    expect(asked.stdout.match(/"id":/g)).toHaveLength(41);
    expect([asked.status, asked.stdout]).toEqual([0, expect.not.stringContaining('isError')]);
    const input = 'x'.repeat(11 * 1024 * 1024);
    const { status, stderr } = spawnSync(process.execPath, command, { input, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^INPUT_FORMAT: standard input.*too long/)]);
  });
});
