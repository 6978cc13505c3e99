import { describe, expect, it } from '@jest/globals';
import { createSpillway, openStore } from '../../../src/index.js';
import { quarter, says, talk, user, type Chat } from '../support.js';
import { proxied } from './proxied.js';

const ask = (url: string, path: string, messages: readonly Chat[]): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'x-spillway-session': 'mill' },
    body: JSON.stringify({ model: 'm', max_tokens: 50, messages }),
  });
const CHAT = '/v1/chat/completions';
const LONG: readonly Chat[] = [...talk(12, 450), user('And the wheel?')];

describe('an operator who works on the store of a running service', () => {
  it('approves a plan, and the very call that waited goes through', async () => {
    const store = await openStore('memory:');
    const { service } = await proxied({ compaction: { approval: 'ask' } }, { store });
    expect((await ask(service.url, CHAT, LONG)).status).toBe(409);
    const beside = await (await createSpillway({ store, counter: quarter })).open({ id: 'mill' });
    await beside.operator.approve();
    expect((await ask(service.url, CHAT, LONG)).status).toBe(200);
  });

  it('lets go of what an undo holds, and the very call that did not fit is compacted', async () => {
    const store = await openStore('memory:');
    const { service, emulator } = await proxied({}, { store });
    expect((await ask(service.url, CHAT, LONG)).status).toBe(200);
    await service.ask('POST', '/sessions/mill/undo');
    const more = [...LONG, says('Done.'), ...talk(4, 400), user('And the roof?')];
    await ask(service.url, CHAT, more);
    expect(service.lines.join('')).toContain('BUDGET_UNREACHABLE');
    const beside = await (await createSpillway({ store, counter: quarter })).open({ id: 'mill' });
    await beside.operator.release();
    expect((await ask(service.url, CHAT, more)).status).toBe(200);
    expect(emulator.received.at(-1)!.text.length / 4).toBeLessThan(6_600);
  });
});
