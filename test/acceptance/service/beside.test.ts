import { join } from 'node:path';
import { createSpillway, openStore } from '../../../src/index.js';
import { quarter, says, spillway, talk, temporaryFolder, user, type Chat } from '../support.js';
import { proxied } from './proxied.js';
import type { Started } from './support.js';

const folder = temporaryFolder();

const ask = ({ send }: Started, path: string, messages: readonly Chat[]): Promise<Response> =>
  send(path, { model: 'm', max_tokens: 50, messages }, { 'x-spillway-session': 'mill' });
const CHAT = '/v1/chat/completions';
const LONG: readonly Chat[] = [...talk(12, 450), user('And the wheel?')];

describe('an operator who works on the store of a running service', () => {
  it('approves a plan, and the call that was refused before goes through', async () => {
    const store = await openStore('memory:');
    const { service } = await proxied({ compaction: { approval: 'ask' } }, { store });
    expect((await ask(service, CHAT, LONG)).status).toBe(409);
    const beside = await (await createSpillway({ store, counter: quarter })).open({ id: 'mill' });
    await beside.operator.approve();
    expect((await ask(service, CHAT, LONG)).status).toBe(200);
  });

  it('undoes a compaction, and the service releases the hold for a call that would not fit', async () => {
    const store = await openStore('memory:');
    const { service, emulator } = await proxied({}, { store });
    expect((await ask(service, CHAT, LONG)).status).toBe(200);
    const beside = await (await createSpillway({ store, counter: quarter })).open({ id: 'mill' });
    await beside.operator.undo();
    const more = [...LONG, says('Done.'), ...talk(4, 400), user('And the roof?')];
    expect((await ask(service, CHAT, more)).status).toBe(200);
    expect(service.lines.join('')).toContain('holds-gave-way');
    expect(emulator.received.at(-1)!.text.length / 4).toBeLessThan(6_600);
  });

  it('plans with the format and the limits that the session has in the service', async () => {
    const store = `sqlite:${join(folder.path, 'mill.db')}`;
    const { service, emulator } = await proxied({ window: null } as never, { store: await openStore(store) });
    emulator.script = [
      { status: 400, body: { error: { message: 'prompt is too long: 6200 tokens > 6000 maximum' } } },
    ];
    expect((await ask(service, '/v1/messages', LONG)).status).toBe(200);
    const { out } = await spillway(['plan', 'mill', '--store', store, '--json']);
    expect(JSON.parse(out).before.budget.window).toBe(6_000);
    const { format } = (await service.get('/sessions/mill')).body;
    expect(format).toBe('anthropic');
  });
});
