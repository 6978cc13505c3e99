import { openaiChat, type Session } from '../../../src/index.js';
import { engine, prose, says, shownText, step, system, user, writer, type Chat } from '../support.js';

const BUDGET = 6_000;
const RULE = 'Ändere niemals die Schnittstelle des Abrechnungsdienstes, und antworte immer auf Deutsch.';
const REASON = 'Ich habe mich für die Warteschlange entschieden, weil zwei Dienste gleichzeitig schreiben.';

function german(turns: number): Chat[] {
  const chat: Chat[] = [
    system('Du bist ein Programmierer.'),
    user('Bitte räume den Dienst auf.'),
    says(REASON),
    user(RULE),
  ];
  for (let turn = 0; turn < turns; turn++) {
    chat.push(user(`Weiter mit Abschnitt ${turn}, danke.`));
    for (let i = 0; i < 3; i++)
      chat.push(
        ...step(
          'lesen',
          { path: `src/abschnitt${turn}/teil${i}.ts` },
          `export const pruefeAbschnitt${turn}x${i} = 1;\n${prose(140, turn * 3 + i)}`,
        ),
      );
    chat.push(says(`Abschnitt ${turn} ist fertig.`));
  }
  return chat;
}

const tokensOf = (session: Session, label: string): number =>
  session.view
    .filter(({ message }) => message.label === label)
    .reduce((sum, { size }) => sum + size.tokens, 0);

describe('AC-20: summaries drift', () => {
  it('AC-20: over 34 chained compactions summaries do not grow, and a rule, a reason and identifiers remain', async () => {
    const ROOM = 7_000;
    const spillway = await engine(ROOM, { roster: ['snip', 'micro', 'auto'], minGain: 0.02 });
    const session = spillway.session();
    const sizes: number[] = [];
    for (const message of openaiChat.parse(german(120)).messages) {
      if (message.role === 'assistant') {
        const { run } = await session.prepare();
        if (run.kind === 'committed') sizes.push(tokensOf(session, 'summary'));
      }
      session.append(message);
    }
    expect(session.operator.history.length).toBeGreaterThanOrEqual(34);
    const { target } = spillway.config.settings;
    for (const size of sizes) expect(size).toBeLessThanOrEqual(target * ROOM);
    // They do not grow slowly either: the second half of the summaries is no larger than the first half.
    const different = sizes.filter((size, i) => size !== sizes[i - 1]);
    const largest = (some: typeof sizes): number => Math.max(...some);
    const half = Math.ceil(different.length / 2);
    expect(largest(different.slice(0, half))).toBeGreaterThan(0.2 * ROOM);
    expect(largest(different.slice(half))).toBeLessThanOrEqual(1.05 * largest(different.slice(0, half)));
    const text = session.view.map(shownText).join('\n');
    expect(text).toContain(RULE);
    expect(text).toContain(REASON);
    const known = new Set(JSON.stringify(german(120)).match(/pruefeAbschnitt\d+x\d/g));
    const carried = text.match(/pruefeAbschnitt\w+/g) ?? [];
    expect(carried.length).toBeGreaterThan(10);
    expect(carried.filter((word) => !known.has(word))).toEqual([]);
  });

  it('AC-20: a model that writes too much fills a request no further than a digest may', async () => {
    const { summarizer } = writer(() => 'Der Dienst wurde aufgeräumt.\n'.repeat(2_000));
    const spillway = await engine(BUDGET, { roster: ['auto'], minGain: 0.02 }, { summarizer });
    const session = spillway.session();
    const [sizes, pressures]: [number[], number[]] = [[], []];
    for (const message of openaiChat.parse(german(60)).messages) {
      if (message.role === 'assistant') {
        const { run, reading } = await session.prepare();
        if (run.kind === 'committed') {
          sizes.push(tokensOf(session, 'summary'));
          pressures.push(reading.pressure);
        }
      }
      session.append(message);
    }
    expect(sizes.length).toBeGreaterThanOrEqual(8);
    expect(Math.max(...sizes)).toBeGreaterThan(0.2 * BUDGET);
    // Next to fresh output a digest may exceed the target, up to this share.
    expect(Math.max(...pressures)).toBeLessThanOrEqual(0.7);
  });

  it('AC-20: text of a model that switches to another language is refused in every compaction', async () => {
    const english =
      'The service was cleaned up and the sections are done. The user wants that the interface is not changed, and that all of it stays as it was in the first place.';
    const german20 = 'Der Dienst wurde aufgeräumt, und die Abschnitte sind fertig, aber nicht alle.';
    // After its fifth summary it writes English, and German again when it is told to.
    const { summarizer } = writer(({ instruction }, nth) =>
      nth <= 5 || instruction.includes('Write in German.') ? `${german20} ${nth}` : `${english} ${nth}`,
    );
    const spillway = await engine(BUDGET, { roster: ['auto'], minGain: 0.02 }, { summarizer });
    const session = spillway.session();
    for (const message of openaiChat.parse(german(90)).messages) {
      if (message.role === 'assistant') {
        await session.prepare();
        expect(session.view.map(shownText).join('\n')).not.toContain(english);
      }
      session.append(message);
    }
    const outcomes = session.operator.history.flatMap(({ calls = [] }) =>
      calls.map(({ outcome }) => outcome),
    );
    expect(outcomes.filter((outcome) => outcome === 'refused').length).toBeGreaterThanOrEqual(5);
    expect(outcomes.at(-1)).toBe('filled');
  });
});
