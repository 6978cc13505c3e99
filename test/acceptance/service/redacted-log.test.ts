import { validators } from '../../../src/testkit/index.js';
import { postgresOfFile } from '../../support/postgres.js';
import { prose } from '../support.js';
import { proxied } from './proxied.js';
import type { Started } from './support.js';

const server = postgresOfFile();

/** Put together here, so that no scanner takes this file for a leak. */
const KEY = ['sk-', 'live-', 'abcdefghij0123456789'].join('');
const TOKEN = ['ghp_', 'Zx81kQpLmN02vBcRtYuIoPaSdFgHjK3456ab'].join('');
const PASSWORD = ['correcthorse', '7battery'].join('');
const SECRETS = [KEY, TOKEN, PASSWORD];
const heldIn = (text: string): string[] => SECRETS.filter((secret) => text.includes(secret));

type Chat = Readonly<Record<string, unknown>>;

/** So many steps of an agent whose tools print secrets. */
function history(steps: number): Chat[] {
  const chat: Chat[] = [
    { role: 'system', content: `Be brief. The token is ${TOKEN}.` },
    { role: 'user', content: `Deploy it. My key is ${KEY}.` },
  ];
  for (let i = 0; i < steps; i++)
    chat.push(
      {
        role: 'assistant',
        content: `Step ${i}.`,
        tool_calls: [
          {
            id: `c${i}`,
            type: 'function',
            function: {
              name: 'bash',
              arguments: JSON.stringify({ command: `use ${PASSWORD}`, note: `a\n${TOKEN}` }),
            },
          },
        ],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: `DB_PASSWORD=${PASSWORD}\n${KEY}\n${prose(250, i)}` },
    );
  return chat;
}

async function send(service: Started, messages: readonly Chat[]): Promise<void> {
  const answer = await service.send('/v1/chat/completions', { model: 'm', messages });
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
}

/** Every row of every table of a database, with bytes as text. */
async function everythingIn(url: string): Promise<string> {
  const tables = await server.run(
    url,
    "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
  );
  const rows: string[] = [];
  for (const { name } of tables as { name: string }[])
    for (const row of await server.run(url, `select * from ${name}`))
      for (const value of Object.values(row as object))
        rows.push(Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value ?? ''));
  return rows.join('\n');
}

describe('N8: the proxy’s log without secrets, on PostgreSQL', () => {
  it('N8: the upstream gets the client’s own text, the database no secrets, and another service goes on', async () => {
    const url = await server.create();
    const settings = { window: 4_000, redactLog: true };
    const { service: one, emulator } = await proxied(settings, { store: url });
    for (let steps = 1; steps <= 12; steps++) await send(one, history(steps));
    const [first] = emulator.received;
    expect(first!.body.messages).toEqual(history(1));
    const { body: list } = await one.get('/sessions');
    expect(list.items).toHaveLength(1);
    expect(list.items[0].compactions).toBeGreaterThan(0);
    // Messages that remain are as the client wrote them.
    const { body: sent, text } = emulator.received.at(-1)!;
    expect(validators.get('openai-chat')!(sent)).toEqual([]);
    expect(text).toContain(`My key is ${KEY}.`);
    expect(sent.messages).toContainEqual(history(12).at(-1));

    const at = `/sessions/${encodeURIComponent(list.items[0].id)}`;
    const said = await Promise.all([
      one.get(`${at}/messages?include_superseded=true`),
      one.post(`${at}/recall`, { query: 'DB_PASSWORD battery' }),
    ]);
    for (const { status, body } of said) expect([status, heldIn(JSON.stringify(body))]).toEqual([200, []]);
    expect(heldIn(one.lines.join('\n'))).toEqual([]);

    const { service: other, emulator: next } = await proxied(settings, { store: url });
    await send(other, history(13));
    expect((await other.get('/sessions')).body.items).toHaveLength(1);
    expect(next.received.at(-1)!.text).toContain(`My key is ${KEY}.`);
    const stored = await everythingIn(url);
    expect(stored).toContain('Step 11.');
    expect(stored).toContain(' removed]');
    expect(heldIn(stored)).toEqual([]);
  });

  it('N8: without redactLog the database holds the secrets, so that the search is proven to find them', async () => {
    const url = await server.create();
    const { service: one } = await proxied({ window: 4_000 }, { store: url });
    for (let steps = 1; steps <= 2; steps++) await send(one, history(steps));
    expect(heldIn(await everythingIn(url))).toEqual(SECRETS);
  });
});
