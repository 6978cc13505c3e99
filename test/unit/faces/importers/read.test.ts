import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openaiChat } from '../../../../src/formats/index.js';
import { readSession, type ReadOptions } from '../../../../src/faces/importers/index.js';
import { originals } from '../../formats/views.js';

const folder = mkdtempSync(join(tmpdir(), 'spillway-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `${files++}.jsonl`);
  writeFileSync(path, content);
  return path;
}

const user = (content: string) => JSON.stringify({ role: 'user', content });
const META = '{"kind": "meta", "id": "one", "model": "m", "tools": ["Read"]}';

async function read(content: string | Buffer, options?: ReadOptions) {
  const { parsed, ...rest } = await readSession(file(content), options);
  const said = parsed.messages.map((message) => (message.wire as { content: unknown }).content);
  return { ...rest, said, parsed, notices: parsed.notices.map((notice) => `${notice.at} ${notice.kind}`) };
}

async function refusal(path: string, options?: ReadOptions): Promise<{ code: string; message: string }> {
  return readSession(path, options).then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  );
}

describe('reading a session', () => {
  it('recognises a normalized session by its meta line, which is not counted as a message', async () => {
    const found = await read(`${META}\n${user('a')}\n${user('b')}\n`);
    expect(found).toMatchObject({
      format: 'corpus',
      how: 'corpus: line 1 is {"kind": "meta"}',
      said: ['a', 'b'],
    });
    expect(found.meta).toMatchObject({ id: 'one' });
    expect(found.parsed.messages.map((message) => message.id)).toEqual(['m0', 'm1']);
    expect(found.parsed.model).toBe('m');
    expect(found.parsed.tools).toBeUndefined();
  });

  it('reads a File of a browser, with its name in errors', async () => {
    const text = `${META}\n${Array.from({ length: 3_000 }, (_, at) => user(`${at} ${'ü€😀 '.repeat(90)}`)).join('\n')}\n`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * 1024 * 1024); // more than one piece, characters torn between them
    const ofFile = await readSession(new File([text], 'talk.jsonl'));
    const ofPath = await readSession(file(text));
    expect(ofFile).toEqual(ofPath);
    await expect(readSession(new File([''], 'empty.jsonl'))).rejects.toMatchObject({
      code: 'INPUT_FORMAT',
      message: expect.stringContaining('empty.jsonl'),
    });
  });

  it.each([
    ['lines of messages', `${user('a')}\n\n  \r\n${user('b')}`, 'lines are messages'],
    [
      'a request on one line',
      `{"model":"m","messages":[${user('a')},${user('b')}]}`,
      'the file is a request',
    ],
    ['a list', `[${user('a')},\n${user('b')}]`, 'a list of messages'],
    ['a printed request', `{\n "messages": [\n${user('a')},${user('b')}]}`, 'the file is a request'],
    ['a byte order mark', `\ufeff${user('a')}\n${user('b')}\n`, 'lines are messages'],
  ])('takes %s', async (_, content, how) => {
    const found = await read(content);
    expect(found).toMatchObject({ format: 'openai-chat', said: ['a', 'b'], notices: [] });
    expect(found.how).toContain(how);
  });

  it('takes the format by name', async () => {
    const found = await read(`${user('a')}\n`, { format: 'openai-chat' });
    expect(found.how).toBe('openai-chat, as it was named');
    expect(await refusal(file(user('a')), { format: 'corpus' })).toMatchObject({ code: 'INPUT_FORMAT' });
    const unknown = await refusal(file(user('a')), { format: 'morse' });
    expect(unknown.message).toMatch(/allowed: auto, openai-chat, .*corpus, claude-code/);
  });

  it('skips a torn last line and a broken one, and reads two values on one line, with a notice for each', async () => {
    const found = await read(
      `${META}\n${user('a')}${user('b')}\n{"role": oops}\n${user('c')}\n{"role":"user","con`,
    );
    expect(found.said).toEqual(['a', 'b', 'c']);
    expect(found.notices).toEqual(['line 2 joined-lines', 'line 3 unreadable-line', 'line 5 torn-line']);
  });

  it('reads on after a torn first line', async () => {
    for (const torn of ['{"role":"user","con', '日本語"}', 'né"}', 'x🎉"}'])
      expect(await read(`${torn}\n${user('b')}\n`)).toMatchObject({
        said: ['b'],
        notices: ['line 1 unreadable-line'],
      });
  });

  it('keeps a complete message before a torn append', async () => {
    const found = await read(`${user('a')}{"role":"us\n${user('}{"\\')}${user('b')}\n`);
    expect(found.said).toEqual(['a', '}{"\\', 'b']);
    expect(found.notices).toEqual(['line 1 unreadable-line', 'line 2 joined-lines']);
  });

  it('skips a line above the limit without keeping it', async () => {
    const found = await read(`${user('a')}\n${user('x'.repeat(3_000_000))}\n${user('b')}\n`, {
      maxLineBytes: 1000,
    });
    expect(found).toMatchObject({ said: ['a', 'b'], notices: ['line 2 long-line'] });
  });

  it('skips lines that are no message in a normalized file', async () => {
    const found = await read(`${META}\n7\n${user('a')}\n${META}\n`);
    expect(found).toMatchObject({ said: ['a'], notices: ['line 2 not-a-message', 'line 4 not-a-message'] });
  });

  it('gives notices for fifty bad lines and counts the rest', async () => {
    const found = await read(`${user('a')}\n${'oops\n'.repeat(80)}`);
    expect(found.notices.length).toBe(51);
    expect(found.parsed.notices.at(-1)!.what).toBe('30 more lines were skipped or mended');
  });

  it('keeps lone surrogates in the log, and sends the replacement character', async () => {
    const { said, parsed } = await read('{"role":"user","content":"a\\ud800b"}\n');
    expect(said).toEqual(['a\ud800b']);
    expect(JSON.stringify(openaiChat.serialise(originals(parsed.messages)).messages[0])).toContain(
      'a\ufffdb',
    );
  });

  it.each([
    ['in a line', '', '\n'],
    ['in one JSON value', '[', ']'],
  ])('gives a notice for bytes that are not UTF-8: %s', async (_, before, after) => {
    const [start, end] = user('a|b').split('|') as [string, string];
    const bytes = [before, start].map((text) => Buffer.from(text));
    const found = await read(Buffer.concat([...bytes, Buffer.from([0xff]), Buffer.from(end + after)]));
    expect(found).toMatchObject({ said: ['a\ufffdb'], notices: ['file not-utf8'] });
    expect((await read(`${user('a\ufffdb')}\n`)).notices).toEqual([]);
  });
});

describe('a file that cannot be read is refused with a reason', () => {
  it.each([
    ['no JSON', 'hello\nworld\n', 'found "hello"'],
    ['nothing', '', 'found "an empty file"'],
    ['white space', ' \n \n', 'found "only white space"'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${user('a')}`, 'utf16le'), 'UTF-16 text'],
    ['UTF-16 without', Buffer.from(user('a'), 'utf16le'), 'UTF-16 text'],
    ['a binary file', Buffer.from('abc\0defghijklmnop'), 'binary file'],
    ['a gzip file', Buffer.from([0x1f, 0x8b, 8, 1]), 'packed or binary'],
    ['half a list', `[${user('a')}`, 'INPUT_FORMAT'],
    [
      "another agent's lines",
      '{"type":"session","id":"1"}\n{"type":"message","message":{"role":"user"}}\n',
      'type, id',
    ],
    ['several requests', `{"messages":[${user('a')}]}\n{"messages":[]}\n`, '2 whole requests'],
    ['a list of something else', '[1, 2]', 'message 0'],
    ['another object', '{\n"a": 1}', 'an object with a'],
    ['only lines above the limit', `{"role":"user","content":"${'x'.repeat(200)}"}`, 'maxLineBytes'],
  ])('%s', async (_, content, words) => {
    const { code, message } = await refusal(file(content), { maxLineBytes: 150 });
    expect(code).toBe('INPUT_FORMAT');
    expect(message).toContain(words);
  });

  it('a missing file and a directory', async () => {
    expect(await refusal(join(folder, 'gone'))).toMatchObject({ code: 'INPUT_UNREADABLE' });
    const directory = await refusal(folder);
    expect(directory.code).toBe('INPUT_UNREADABLE');
    expect(directory.message).toContain('a directory');
  });

  const isRoot = process.getuid?.() === 0; // root may read everything
  (isRoot ? it.skip : it)('a file without permission', async () => {
    const path = file(user('a'));
    chmodSync(path, 0);
    expect(await refusal(path)).toMatchObject({ code: 'INPUT_UNREADABLE' });
  });
});
