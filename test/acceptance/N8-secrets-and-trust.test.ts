import { callOf, prose, resultOf, says, step, system, user } from '../support/chats.js';
import { answered, fill, preparedAt, sessionOf, shownText, talk, writer } from './support.js';

/** Joined from pieces, so that no scanner takes this file for a leak. */
const KEY = ['sk-', 'live-', 'abcdefghij0123456789'].join('');
const PASSWORD = ['correcthorse', '7battery'].join('');
const PEM = [
  '-----BEGIN ',
  'PRIVATE KEY-----\n',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(12),
  '-----END ',
  'PRIVATE KEY-----',
].join('');
const SECRETS = [KEY, PASSWORD, 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'hunter2hunter2', 'ACME-991122'];

const CHAT = [
  system('Be brief.'),
  user('Deploy it.'),
  says(`I take the key ${KEY} because the old one is gone.`),
  ...step(
    'bash',
    { command: 'cat .env' },
    `DB_PASSWORD=${PASSWORD}\nerror: ${PASSWORD} was refused\n${prose(60, 1)}`,
  ),
  ...step(
    'bash',
    { command: `curl -H 'x-api-key: ${KEY}' https://me:hunter2hunter2@host/` },
    `${prose(200, 2)}\n${PEM}`,
  ),
  callOf([['w', 'write_file', { path: 'k.pem', content: `${PEM}\n${prose(200, 3)}` }]]),
  resultOf('w', 'written'),
  user('Our order ACME-991122 must never be delayed.'),
  says('Noted.'),
];

describe('N8: secrets and trust', () => {
  it('N8: no text that a stage writes contains a secret, while the log keeps it', async () => {
    const made: string[] = [];
    for (const roster of [['snip'], ['micro'], ['collapse'], ['auto'], ['partial'], ['full'], []]) {
      const settings = { redact: ['ACME-\\d+'], pins: { firstUser: false }, minGain: 0, roster };
      const session = await sessionOf(6_000, [...CHAT, ...talk(6, 150)], settings);
      if (roster.length === 0) fill(session, 1.4);
      const { record } = await session.operator.compact({ target: 0.2 });
      for (const edit of record?.plan.edits ?? [])
        made.push(JSON.stringify(edit.kind === 'replace' ? edit.content : edit.replacement));
      expect(JSON.stringify(session.log.at(2))).toContain(KEY);
    }
    expect(made.length).toBeGreaterThanOrEqual(5);
    for (const secret of SECRETS) expect(made.filter((text) => text.includes(secret))).toEqual([]);
    expect(made.join('\n')).toMatch(/\[(?:API key|secret) removed\]/);
  });

  it('N8: a summarizer gets no secret that another message of the log names as one', async () => {
    const { summarizer, asked } = writer(() => 'The deployment was refused.', { window: 50_000 });
    const session = await sessionOf(
      6_000,
      [...CHAT, says(`It says ${PASSWORD} at every try.`), ...talk(8, 300)],
      { roster: ['auto'] },
      { summarizer },
    );
    await session.operator.compact({ target: 0.2 });
    expect(JSON.stringify(asked)).toContain('at every try');
    for (const secret of [KEY, PASSWORD]) expect(JSON.stringify(asked)).not.toContain(secret);
  });

  it('N8: a user message is cut, but its words are never rewritten', async () => {
    const long = `The key is ${KEY}.\n${prose(2_500, 4)}`;
    const session = await sessionOf(4_000, [system('Be brief.'), user(long), says('Yes.'), ...talk(4, 200)]);
    await preparedAt(session, 0.99);
    const shown = session.view.find(({ source }) => source?.id === 'm1')!;
    expect(shown.replaced).toBeDefined();
    expect(shownText(shown)).toContain(`The key is ${KEY}.`);
  });

  it('N8: arguments without their secrets are still JSON', async () => {
    const args = { path: 'k.env', content: `API_KEY="${KEY}"\n${prose(900, 5)}` };
    const session = await sessionOf(
      4_000,
      [user('Go.'), callOf([['w', 'write_file', args]]), resultOf('w', 'ok'), ...talk(6, 200)],
      { minGain: 0, roster: ['snip'], stages: { snip: { arguments: { minTokens: 50, protectShare: 0 } } } },
    );
    await session.operator.compact({ target: 0.3 });
    const shown = session.view.find(({ source }) => source?.id === 'm1')!;
    const [part] = shown.message.parts;
    expect(shown.replaced).toBeDefined();
    const written = part?.type === 'tool-call' ? part.arguments : '';
    expect(JSON.parse(written)).toMatchObject({ path: 'k.env' });
    expect(written).toContain('[API key removed]');
    expect(written).not.toContain(KEY);
  });

  it('N8: a derived message has the lowest trust of its sources, however often it is summarized', async () => {
    const settings = { pins: { firstUser: false }, minGain: 0 };
    const session = await sessionOf(
      4_000,
      [system('Be brief.'), ...step('web', {}, prose(100, 6)), ...talk(8, 150)],
      settings,
    );
    const trusts = (): (string | undefined)[] =>
      session.view.filter(({ source }) => !source).map(({ message }) => message.trust);
    for (let i = 0; i < 6; i++) {
      await session.operator.compact({ target: 0.1 });
      session.append(answered(`a${i}`, prose(120, 40 + i)));
      expect(trusts().length).toBeGreaterThan(0);
      expect(trusts()).toContain('tool');
      expect(trusts()).not.toContain(undefined);
    }
    const plain = await sessionOf(4_000, [system('Be brief.'), ...talk(12, 150)], settings);
    await plain.operator.compact({ target: 0.1 });
    expect(new Set(plain.view.filter(({ source }) => !source).map(({ message }) => message.trust))).toEqual(
      new Set(['model']),
    );
  });

  it('N8: no derived text contains a password that people write in their language or type in a command', async () => {
    const said = [
      ['Mein Passwort ist ', 'Kaffee!2024Haus', ', nie in Logs schreiben.'],
      ['La contraseña es ', 'Verano2024!x', ', nunca la pongas en el código.'],
      ['Пароль: ', 'Zima2023xx', ', никогда не пиши его в лог.'],
      ['パスワードは ', 'Sakura9988', ' です。'],
      ['密码是 ', 'Abc12345xyz', '，不要泄露。'],
      ['login: bob / ', 'Tr0ub4dor&3', ''],
      ['My card is ', '4111 1111 1111 1111', '.'],
      ['The DB password is ', 'hunter2-Blue-Sky9', ' for now.'],
      ['Use ', 'hunter2-Blue-Sky9', ' for the staging db too.'],
    ].map(([before, secret, behind]) => ({ secret: secret!, text: `${before}${secret}${behind}` }));
    const typed = ['sshpass -p Winter2023! ssh host ls', 'echo Winter2023! | sudo -S reboot'];
    const session = await sessionOf(
      5_000,
      [
        ...said.flatMap(({ text }) => [user(text), says('Noted.')]),
        ...typed.flatMap((command) => step('bash', { command }, 'done')),
        ...talk(8, 200),
      ],
      { pins: { firstUser: false } },
    );
    await session.operator.compact({ target: 0.3 });
    const made = session.view
      .filter(({ source }) => source === undefined)
      .map(shownText)
      .join('\n');
    expect(made).toContain('Mein Passwort ist [password removed], nie in Logs schreiben.');
    expect(made).toContain('sshpass -p [password removed] ssh host ls');
    for (const secret of [...said.map((one) => one.secret), 'Winter2023!'])
      expect(made).not.toContain(secret);
  });
});
