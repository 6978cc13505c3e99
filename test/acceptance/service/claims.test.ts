import { describe, expect, it } from '@jest/globals';
import { prose, says, step, system, user, type Chat } from '../support.js';
import { started, type Started } from './support.js';
import { bearer, env, tokens } from './tokens.js';

const BOUND = 'Never push to the release branch without asking me first.';

const history: readonly Chat[] = [
  system('You build mills.'),
  user('Build the mill.'),
  user(BOUND),
  says('I will not.'),
  ...step('bash', { command: 'npm test' }, 'Tests: 4 passed, 4 total'),
  ...step('write_file', { path: 'src/mill/door.ts', content: 'export const door = 1;' }, 'written'),
  ...Array.from({ length: 30 }, (_, i) =>
    step('read_file', { path: `src/stone${i}.ts` }, prose(300, i)),
  ).flat(),
  user('Go on.'),
];

async function carrying(more: Parameters<typeof started>[2] = {}, settings = {}): Promise<Started> {
  const service = await started(3_000, settings as never, more);
  return service;
}

async function feed(service: Started, headers = {}, id = 'mill'): Promise<any> {
  await service.ask('POST', '/sessions', { id }, headers);
  const request = { model: 'm', messages: history };
  await service.ask('POST', `/sessions/${id}/prepare`, { request }, headers);
  return (await service.ask('GET', `/sessions/${id}/claims`, undefined, headers)).body;
}

const of = (said: any, text: string): any =>
  [...said.items, ...said.files].find((one: any) => `${one.text ?? one.path}`.includes(text));

describe('claims over HTTP', () => {
  it('N7 K16: one is ended with notes, again with nothing, and brought back; explain and the audit say so', async () => {
    const service = await carrying();
    const said = await feed(service);
    const { ref, id } = of(said, BOUND);
    const end = (notes?: string) => service.ask('POST', `/sessions/mill/claims/${ref}/end`, { notes });
    const ended = await end('the branch is gone');
    expect(ended).toMatchObject({
      status: 200,
      body: { ref, ended: { by: 'local', notes: 'the branch is gone', at: expect.any(Number) } },
    });
    expect((await end('again')).body).toEqual(ended.body);
    const now = await service.ask('GET', '/sessions/mill/claims');
    expect(of(now.body, BOUND)).toMatchObject({ status: 'superseded', ended: ended.body.ended });
    const explained = await service.ask('GET', '/sessions/mill/explain');
    const message = explained.body.messages.find((one: any) => one.id === id);
    expect(message.endedClaims).toMatchObject([
      { ref, text: BOUND, by: 'local', notes: 'the branch is gone' },
    ]);
    const audit = await service.ask('GET', '/sessions/mill/audit?limit=1');
    expect(audit.body.items).toMatchObject([{ kind: 'compaction.claim-ended', ref, body: { by: 'local' } }]);

    const restored = await service.ask('POST', `/sessions/mill/claims/${ref}/restore`);
    expect(restored).toMatchObject({ status: 200, body: { ref } });
    expect((await service.ask('POST', `/sessions/mill/claims/${ref}/restore`)).status).toBe(200);
    expect(of((await service.ask('GET', '/sessions/mill/claims')).body, BOUND)).toMatchObject({
      status: 'live',
    });
  });

  it('N7: checks that passed and changed files are listed and ended too', async () => {
    const service = await carrying();
    const said = await feed(service);
    expect(of(said, 'npm test')).toMatchObject({ kind: 'check', status: 'done' });
    for (const text of ['npm test', 'door.ts']) {
      const { ref } = of(said, text);
      expect((await service.ask('POST', `/sessions/mill/claims/${ref}/end`)).status).toBe(200);
    }
    const now = (await service.ask('GET', '/sessions/mill/claims')).body;
    for (const text of ['npm test', 'door.ts']) expect(of(now, text).ended).toMatchObject({ by: 'local' });
  });

  it('N7 N13: only operators end claims, under their own name, and only where they may look', async () => {
    const service = await carrying({ env }, { server: { tokens } });
    const said = await feed(service, bearer(env.OPS));
    const { ref } = of(said, BOUND);
    const end = (token: string | undefined, id = 'mill') =>
      service.ask('POST', `/sessions/${id}/claims/${ref}/end`, {}, token === undefined ? {} : bearer(token));
    expect((await end(undefined)).status).toBe(401);
    expect((await end(env.WALL)).body.error.code).toBe('ACCESS_DENIED');
    const { body } = await end(env.OPS);
    expect(body.ended.by).toBe('ops');
  });

  it('N7: what is no claim is named, and nothing changes', async () => {
    const service = await carrying();
    const { items } = await feed(service);
    const answers = await Promise.all([
      service.ask('POST', '/sessions/mill/claims/nobody/end'),
      service.ask('POST', '/sessions/mill/claims/nobody/restore'),
      service.ask('POST', '/sessions/nowhere/claims/nobody/end'),
      service.ask('POST', `/sessions/mill/claims/${items[0].ref}/end`, { by: 'me' }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'CLAIM_UNKNOWN'],
      [404, 'CLAIM_UNKNOWN'],
      [404, 'SESSION_UNKNOWN'],
      [400, 'HTTP_400'],
    ]);
  });
});
