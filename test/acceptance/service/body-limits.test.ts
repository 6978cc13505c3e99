import { user } from '../support.js';
import { proxied } from './proxied.js';

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(',');
const keys = (count: number): string => times(count, (at) => `"k${at}":1`);
const said = JSON.stringify(user('Build a mill.'));
const body = (messages: string, more = ''): string => `{"model":"m","messages":[${messages}]${more}}`;

describe('N13: a body with very many values', () => {
  it.each([
    ['fields of the body', body(said, `,${keys(20_001)}`), '20000 values in one'],
    [
      'fields of a message',
      body(`{"role":"user","content":"Hello.",${keys(20_001)}}`),
      '20000 values in one',
    ],
    ['fields of metadata', body(said, `,"metadata":{${keys(20_001)}}`), '20000 values in one'],
    [
      'parts of a message',
      body(`{"role":"user","content":[${times(20_001, (at) => `"${at}"`)}]}`),
      '20000 values in one',
    ],
    ['messages', body(times(100_001, () => '{}')), '100000 values in a list'],
    ['values in all', body(times(80_000, () => `{"a":[${times(12, String)}]}`)), '1000000 values'],
    ['levels', body(said, `,"x":${'['.repeat(600)}${']'.repeat(600)}`), '500 levels'],
  ])('is refused for its %s, by an error that says what is allowed', async (_, text, found) => {
    const { service, emulator } = await proxied();
    for (const path of ['chat/completions', 'messages', 'responses', 'messages/count_tokens']) {
      const answer = await fetch(`${service.url}/v1/${path}`, { method: 'POST', body: text });
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect([path, answer.status, error.code]).toEqual([path, 400, 'INPUT_FORMAT']);
      expect(error.message).toContain(`body; found "more than ${found}`);
      expect(error.message).toContain('allowed: 1000000 values in all, 100000 in a list of the body');
    }
    expect(emulator.received).toHaveLength(0);
  });

  it('is accepted within the limits, whatever characters its text has', async () => {
    const { service, emulator } = await proxied({ window: 4_000_000 });
    const words = JSON.stringify(user(`${'[{"\\",'.repeat(100_000)}"`));
    const tools = `,"tools":[${times(30, () => `{"x":{${keys(900)}}}`)}]`;
    const text = body(`${words},${said}`, `,"metadata":{${keys(19_990)}}${tools}`);
    const answer = await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', body: text });
    expect(answer.status).toBe(200);
    expect(emulator.received).toHaveLength(1);
    expect(service.lines.join('')).not.toContain('passed by');
  });
});
