import { describe, expect, it } from '@jest/globals';
import { openaiChat, type Session } from '../../../src/index.js';
import { engine, prose, says, shownText, step, system, user, type Chat } from '../support.js';

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
  it('AC-20: over 34 chained compactions nothing grows beyond its share, and language and identifiers stay', async () => {
    const spillway = await engine(BUDGET, { roster: ['snip', 'micro', 'auto'], minGain: 0.02 });
    const session = spillway.session();
    const sizes: { claims: number; summaries: number }[] = [];
    for (const message of openaiChat.parse(german(120)).messages) {
      if (message.role === 'assistant') {
        const { run } = await session.prepare();
        if (run.kind === 'committed')
          sizes.push({ claims: tokensOf(session, 'claims'), summaries: tokensOf(session, 'summary') });
      }
      session.append(message);
    }
    expect(session.operator.history.length).toBeGreaterThanOrEqual(34);
    const { claims, target } = spillway.config.settings;
    for (const size of sizes) {
      expect(size.claims).toBeLessThanOrEqual(claims.share * BUDGET);
      expect(size.summaries).toBeLessThanOrEqual(target * BUDGET);
    }
    // Nor do they creep: the second half is no larger than the first.
    const largest = (some: typeof sizes): number => Math.max(...some.map(({ summaries }) => summaries));
    const half = Math.ceil(sizes.length / 2);
    expect(largest(sizes.slice(0, half))).toBeGreaterThan(0.2 * BUDGET);
    expect(largest(sizes.slice(half))).toBeLessThanOrEqual(1.05 * largest(sizes.slice(0, half)));
    const text = session.view.map(shownText).join('\n');
    expect(text).toContain(RULE);
    expect(text).toContain(REASON);
    const known = new Set(JSON.stringify(german(120)).match(/pruefeAbschnitt\d+x\d/g));
    const carried = text.match(/pruefeAbschnitt\w+/g) ?? [];
    expect(carried.length).toBeGreaterThan(10);
    expect(carried.filter((word) => !known.has(word))).toEqual([]);
  });
});
