import { formats } from '../../src/index.js';
import { validators } from '../../src/testkit/index.js';
import { prose, says, step, system, user, type Chat } from '../support/chats.js';
import { jsonLines, readJson, sessionOf, spillway, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const CHAT: Chat[] = [
  system('Be brief.'),
  user('Build a mill.'),
  ...Array.from({ length: 25 }, (_, i) => [
    ...step('Bash', { command: `make part${i}` }, `partNumber${i}\n${prose(250, i)}`, `Now part ${i}.`),
    ...(i % 5 === 4 ? [says(`Parts up to ${i} are done.`), user(`Go on after ${i}.`)] : []),
  ]).flat(),
];
const FILE = folder.file('session.jsonl', jsonLines(CHAT));
const NAMES = [...formats.keys()];

describe('spillway compact and replay --to', () => {
  it.each(NAMES)('%s: the output is legal, and can be read back', async (name) => {
    const sent = await spillway(['compact', FILE, '--window', '4000', '--to', name]);
    expect(sent.code).toBe(0);
    const file = folder.file(`${name}.json`, sent.out);
    expect(await spillway(['validate', file, '--format', name])).toMatchObject({ code: 0 });
    const again = await spillway(['compact', file, '--format', name, '--to', name, '--window', '1000000']);
    expect(JSON.parse(again.out)).toEqual(JSON.parse(sent.out));
  });

  it.each(NAMES)('%s: the contexts of a replay are legal', async (name) => {
    const at = CHAT.flatMap(({ role }, i) => (role === 'assistant' && i % 4 === 0 ? [i] : []));
    const out = `${folder.path}/replay-${name}`;
    const args = [
      'replay',
      FILE,
      '--window',
      '4000',
      '--to',
      name,
      '--contexts-at',
      at.join(','),
      '--out',
      out,
    ];
    expect((await spillway(args)).code).toBe(0);
    for (const index of at) {
      const request: unknown = readJson(`${out}/context-${index}.json`);
      expect([index, validators.get(name)!(request)]).toEqual([index, []]);
    }
  });

  it('an unknown format is refused with the known names, before any file is read', async () => {
    const { code, err } = await spillway(['compact', 'nowhere', '--to', 'morse']);
    expect(code).toBe(1);
    expect(err).toContain('openai-chat');
    const judged = await spillway(['validate', FILE, '--format', 'morse']);
    expect(judged.code).toBe(1);
    expect(judged.err).toContain('openai-chat');
  });

  it('each format of a session has a validator', () => {
    expect(NAMES.filter((name) => !validators.has(name))).toEqual([]);
  });
});

describe('K8: a call and its result are never split, in any format', () => {
  const strategies = ['staged', 'agent', 'operator', 'pivot', 'reducer'];
  const cases = NAMES.flatMap((name) => strategies.map((profile) => ({ name, profile })));
  let tokens = 0;
  beforeAll(async () => void ({ tokens } = (await sessionOf(1_000_000, CHAT)).reading));
  it.each(cases)('K8: $name under the profile $profile', async ({ name, profile }) => {
    for (const pressure of [0.86, 1.3]) {
      const session = await sessionOf(Math.round(tokens / pressure), CHAT, {}, { profile, format: name });
      const { messages, beside } = await session.prepare();
      const field = formats.get(name)!.messagesField;
      expect(validators.get(name)!({ ...beside, [field]: messages })).toEqual([]);
      expect(JSON.stringify(messages)).toContain('Go on after 24.');
    }
  });
});
