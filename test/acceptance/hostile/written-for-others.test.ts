import { openStore } from '../../../src/index.js';
import {
  answered,
  engine,
  prose,
  says,
  system,
  temporaryFolder,
  user,
  writer,
  type Chat,
} from '../support.js';

const folder = temporaryFolder();

/** A hint at the word that a user keeps to himself. The model writes it into its text. */
const HINT = { zebra: 'stripes', lynx: 'whiskers' } as const;
const hints: string[] = [];
const { summarizer } = writer(
  ({ newest = [] }) => {
    const hint = Object.entries(HINT).find(([word]) => newest.join('\n').includes(word))?.[1] ?? 'nothing';
    hints.push(hint);
    return `Examples were gone through; then of ${hint}.`;
  },
  { window: 128_000 },
);

const template: readonly Chat[] = [
  system('You are helpful.'),
  ...Array.from({ length: 14 }, (_, at) => [
    user(`Example ${at}. ${prose(300, at)}`),
    says(`Answer ${at}. ${prose(220, at + 77)}`),
  ]).flat(),
];
const about = (word: string): Chat => user(`I keep a ${word} at home.`);

type Engine = Awaited<ReturnType<typeof engine>>;
const opened = (more: object = {}): Promise<Engine> => engine(5_000, {}, { summarizer, ...more });

async function sent(session: ReturnType<Engine['session']>, last: Chat, ...after: Chat[]): Promise<string> {
  await session.follow({ messages: [...template, last, ...after] });
  const { messages } = await session.prepare();
  return JSON.stringify((messages as Chat[]).filter(({ content }) => String(content).startsWith('[')));
}

describe('a text that a model wrote after reading the newest messages is for that conversation only', () => {
  it.each(['memory:', 'sqlite'])(
    'R1: another conversation with the same beginning gets a text of its own, also after a restart (%s)',
    async (kind) => {
      const place = kind === 'sqlite' ? `sqlite:${folder.path}/texts.db` : kind;
      const first = await openStore(place);
      const one = await opened({ store: first });
      expect(await sent(await one.open({ id: 'a' }), about('zebra'))).toContain('stripes');
      const text = await sent(await one.open({ id: 'b' }), about('lynx'));
      expect(text).toContain('whiskers');
      expect(text).not.toContain('stripes');
      let store = first;
      if (kind === 'sqlite') {
        await first.close();
        store = await openStore(place);
      }
      const before = hints.length;
      const other = await opened({ store });
      expect(await sent(await other.open({ id: 'c' }), user('Good morning.'))).not.toMatch(
        /stripes|whiskers/,
      );
      // A text that was bought for the same conversation is used again.
      expect(await sent(await other.open({ id: 'd' }), about('lynx'))).toContain('whiskers');
      expect(hints.slice(before)).toEqual(['nothing']);
      await store.close();
    },
  );

  it('R1: it is not used after the client takes back those messages or starts another conversation', async () => {
    const session = (await opened()).session();
    expect(await sent(session, about('zebra'))).toContain('stripes');
    expect(await sent(session, about('lynx'))).not.toContain('stripes');
    expect(await sent(session, user('Good morning.'))).not.toMatch(/stripes|whiskers/);
  });

  it('R1: a request that is repeated after its answer costs no new text', async () => {
    const session = (await opened()).session();
    const before = hints.length;
    const text = await sent(session, about('zebra'));
    await session.append(answered('answer', 'A zebra?'));
    expect(await sent(session, about('zebra'))).toBe(text);
    expect(hints.length).toBe(before + 1);
  });
});
