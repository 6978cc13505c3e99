import { engine, prose, says, step, system, user, type Chat } from '../support.js';
import type { Session } from '../../../src/index.js';

const REMIND = system('The plan was not looked at for a while. Look at it where that helps.');

/** Works as Claude Code does: after calls a system message says something about the moment. */
async function worked(session: Session, turns: number, remind: (turn: number) => Chat): Promise<Chat[]> {
  const history: Chat[] = [system('Be brief.'), user('Build a mill.')];
  for (let turn = 0; turn < turns; turn++) {
    history.push(...step('look', { at: turn }, prose(60, turn)), remind(turn));
    await session.follow({ messages: structuredClone(history) });
    expect((await session.prepare()).reading.pressure).toBeLessThanOrEqual(1);
  }
  return history;
}

const block = (text: string) => ({ type: 'text', text });

const systemIn = async (session: Session): Promise<unknown[]> =>
  ((await session.prepare()).messages as Chat[]).filter(({ role }) => role === 'system');

describe('AC-14: instructions that come while the agent works', () => {
  it('AC-14: repeats of one reminder are superseded, and do not fill the window', async () => {
    const session = (await engine(1_500)).session();
    await worked(session, 120, () => REMIND);
    const shown = await systemIn(session);
    expect(shown[0]).toEqual(system('Be brief.'));
    expect(shown.slice(1, 3)).toContainEqual(REMIND);
    // Reminders since the newest compaction are not removed on their own.
    expect(shown.length).toBeLessThan(12);
    const left = session.operator
      .explain()
      .filter(({ role, status }) => role === 'system' && status === 'superseded');
    expect(left.length).toBeGreaterThan(100);
  });

  it('AC-14: of reminders that differ the oldest leave, the newest remain in order, and recall reads the rest', async () => {
    const session = (await engine(1_500)).session();
    await worked(session, 120, (turn) => system(`Part ${turn} was changed: ${prose(30, turn)}`));
    const shown = (await systemIn(session)) as { content: string }[];
    expect(shown[0]).toEqual(system('Be brief.'));
    const parts = shown.slice(1).map(({ content }) => Number(/^Part (\d+) /.exec(content)?.[1]));
    expect(parts.at(-1)).toBe(119);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts[0]).toBeGreaterThan(60);
    // A removed reminder is in the log, and its handle reads it back.
    const first = session.log
      .between(0)
      .find(({ parts: [part] }) => part?.type === 'text' && part.text.startsWith('Part 0 '))!;
    expect(JSON.stringify(await session.recall({ handle: first.id }))).toContain('Part 0 was changed');
  });

  it('AC-14: when two modes alternate, the newest one is last', async () => {
    const session = (await engine(1_500)).session();
    await worked(session, 81, (turn) => system(turn % 2 === 0 ? 'Only plan now.' : 'You may write now.'));
    expect((await systemIn(session)).at(-1)).toEqual(system('Only plan now.'));
  });

  it('AC-14: reminders that a pattern pins remain each time that they were sent', async () => {
    const settings = { pins: { patterns: ['^Never push'] } };
    const session = (await engine(1_500, settings)).session();
    await worked(session, 60, (turn) => (turn === 3 || turn === 50 ? system('Never push to main.') : REMIND));
    expect(
      (await systemIn(session)).filter((one) => JSON.stringify(one).includes('Never push')),
    ).toHaveLength(2);
  });

  it('AC-14: when the client takes back a repeated instruction, the earlier one returns to view', async () => {
    const session = (await engine(1_500)).session();
    const early = system('Use the blue paint.');
    const history: Chat[] = [system('Be brief.'), user('Build a mill.')];
    history.push(...step('look', { at: 'the sky' }, prose(200)), early);
    for (let turn = 0; turn < 14; turn++) history.push(...step('look', { at: turn }, prose(60, turn)));
    for (const one of [history, [...history, early, user('And the roof?')]]) {
      await session.follow({ messages: structuredClone(one) });
      await session.prepare();
    }
    await session.operator.compact({ target: 0.2 });
    expect((await systemIn(session)).filter((one) => JSON.stringify(one).includes('blue'))).toHaveLength(1);
    await session.follow({ messages: [...history, user('And the door?')] });
    expect((await systemIn(session)).filter((one) => JSON.stringify(one).includes('blue'))).toHaveLength(1);
  });

  it('AC-14: in a complete history the oldest reminders leave too, and no rule or reminder is cut', async () => {
    const session = (await engine(3_000)).session();
    const rules = `Never write to part 9. ${prose(120, 3).replaceAll('\n', ' ')} Sign with GIRAFFE.`;
    const history: Chat[] = [
      system('Be brief.'),
      user(`<system-reminder>\n# claudeMd\n${rules}\n</system-reminder>`),
      user('Build a mill.'),
    ];
    for (let turn = 0; turn < 60; turn++)
      history.push(
        ...step('look', { at: turn }, prose(60, turn)),
        system(`Checked ${turn}: ${prose(150, turn)}`),
      );
    history.push(says('It stands.'), user('Look once more.'));
    for (let turn = 60; turn < 70; turn++) {
      await session.follow({ messages: structuredClone(history) });
      const { messages, reading } = await session.prepare();
      expect(reading.pressure).toBeLessThanOrEqual(1);
      const sent = JSON.stringify(messages);
      expect(sent).toContain(rules.slice(0, 60));
      expect(sent).toContain('GIRAFFE');
      expect(sent).toContain('Build a mill.');
      const checks = (messages as Chat[]).filter(({ content }) => String(content).startsWith('Checked '));
      expect(checks.length).toBeGreaterThan(1);
      for (const { content } of checks) expect(history).toContainEqual(system(String(content)));
      history.push(...step('look', { at: turn }, prose(60, turn)));
    }
  });

  const RULES = `Never write to part 9. ${prose(80, 3).replaceAll('\n', ' ')} Sign with GIRAFFE.`;
  const reminder = (text: string): string => `<system-reminder>\n# claudeMd\n${text}\n</system-reminder>`;
  it.each([
    ['anthropic', [{ role: 'user', content: [block(reminder(RULES)), block('Build a mill.')] }]],
    [
      'openai-responses',
      [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: `# AGENTS.md instructions for /mill\n\n<INSTRUCTIONS>\n${RULES}\n</INSTRUCTIONS>`,
        },
        { role: 'user', content: '<environment_context>\n  <cwd>/mill</cwd>\n</environment_context>' },
        { role: 'user', content: 'Build a mill.' },
      ],
    ],
    [
      'openai-chat',
      [
        system('Be brief.'),
        user(`This is the Qwen Code. We are setting up the context for our chat.\n${RULES}`),
        says('Got it. Thanks for the context!'),
        user('Build a mill.'),
      ],
    ],
  ] as const)(
    'AC-14: project instructions that a client sends before the question remain uncut, like the question (%s)',
    async (format, opening) => {
      const session = (await engine(1_500, {}, { format })).session();
      const history: unknown[] = [...opening];
      for (let turn = 0; turn < 60; turn++) {
        history.push({ role: 'assistant', content: `I look at part ${turn}. ${prose(60, turn)}` });
        history.push({ role: 'user', content: `And part ${turn + 1}?` });
        await session.follow({
          [format === 'openai-responses' ? 'input' : 'messages']: structuredClone(history),
        });
        await session.prepare();
      }
      expect(session.operator.history.length).toBeGreaterThan(2);
      const sent = JSON.stringify((await session.prepare()).messages);
      const place = format === 'openai-responses' ? ['<cwd>/mill</cwd>'] : [];
      // Quoted, as a text of its own: the digest has it too.
      for (const words of [RULES, '"Build a mill."', ...place]) expect(sent).toContain(words);
    },
  );
});
