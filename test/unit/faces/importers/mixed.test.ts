import { kinds, lines, sessionFiles, told } from './files.js';

const read = sessionFiles();
const META = { kind: 'meta', id: 'one' };
const user = (content: unknown) => ({ role: 'user', content });
const claude = (uuid: string, text: string) => ({
  parentUuid: null,
  uuid,
  type: 'user',
  message: { role: 'user', content: text },
});

describe('several formats in one file', () => {
  it('are kept, with a notice, in a list of messages: an Anthropic block among chat messages', async () => {
    const list = [user('go'), user([{ type: 'tool_result', tool_use_id: 'x', content: 'ok' }])];
    const found = await read(JSON.stringify(list), 'openai-chat');
    expect(kinds(found)).toEqual(['unknown-part']);
    expect(found.parsed.messages[1]!.wire).toEqual(list[1]);
  });

  it('are refused if complete requests are next to each other or to a message', async () => {
    const request = { messages: [user('go')] };
    await expect(read(lines(request, request))).rejects.toThrow('2 whole requests and 0 messages');
    await expect(read(lines(request, user('more')))).rejects.toThrow('1 whole requests and 1 messages');
  });

  it('a list with the lines of one format is read as that format', async () => {
    const found = await read(JSON.stringify([claude('a', 'one')]));
    expect(found).toMatchObject({
      format: 'claude-code',
      how: 'claude-code: a list of what its lines would be',
    });
    expect(told(found)).toEqual(['user: one']);
    expect(told(await read(JSON.stringify([META, user('two')]), 'corpus'))).toEqual(['user: two']);
  });
});
