import {
  answered,
  preparedAt,
  prose,
  said,
  says,
  sessionOf,
  shownText,
  step,
  system,
  talk,
  user,
} from '../support.js';

describe('AC-14: instructions, skills and permissions are lost', () => {
  it('AC-14: pins are cut visibly to their share, and the record lists each pinned message', async () => {
    const session = await sessionOf(4_000, [
      system(prose(2_400, 1)),
      user('Build a mill.'),
      ...talk(12, 120),
    ]);
    const { run } = await preparedAt(session, 0.97);
    const pins = run.record!.plan.pins!;
    expect(pins.map(({ id, cut }) => [id, cut])).toEqual([
      ['m0', true],
      ['m1', false],
    ]);
    const shown = session.view.filter(({ source }) => source?.id === 'm0' || source?.id === 'm1');
    expect(pins.map(({ tokens }) => tokens)).toEqual(shown.map(({ size }) => size.tokens));
    expect(pins[0]!.of).toBeGreaterThan(2_400);
    expect(pins.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(0.4 * 4_000 + 16);
    expect(shownText(shown[0]!)).toMatch(/tokens cut; m0#0/);
  });

  it('AC-14: a message that is marked as pinned survives every compaction uncut', async () => {
    const session = await sessionOf(4_000, [system('Be brief.'), user('Go.'), says('Going.')]);
    session.append({
      id: 'policy',
      role: 'user',
      origin: 'user',
      pinned: true,
      parts: [
        {
          type: 'text',
          text: 'Permission: you may run migrations on the staging database, and nowhere else.',
        },
      ],
    });
    for (let i = 0; i < 8; i++) {
      session.append(answered(`a${i}`, prose(400, i)));
      session.append(said(`q${i}`, prose(300, 50 + i)));
      const run = await session.operator.compact({ target: 0.2 });
      if (i === 0) continue;
      expect(run.kind).toBe('committed');
      expect(run.record!.plan.pins!.find(({ id }) => id === 'policy')).toMatchObject({ cut: false });
    }
    expect(session.view.map(shownText).join('\n')).toContain(
      'run migrations on the staging database, and nowhere else',
    );
  });

  it('AC-14: skills and instruction files that the agent loaded remain, or their handles remain', async () => {
    const session = await sessionOf(
      4_000,
      [
        system('Be brief.'),
        user('You may push to the fork without asking. Go on.'),
        ...step('skill', { name: 'release-notes' }, prose(300, 1)),
        ...step('read', { path: 'AGENTS.md' }, prose(300, 2)),
        ...talk(20, 150),
      ],
      { pins: { firstUser: false } },
    );
    await session.operator.compact({ target: 0.3 });
    const text = session.view.map(shownText).join('\n');
    for (const id of ['m3', 'm5']) {
      const stands = session.view.some(({ source, replaced }) => source?.id === id && !replaced);
      if (!stands) expect(text).toMatch(new RegExp(`\\[${id}#0\\]`));
    }
    expect(text).toContain('You may push to the fork without asking.');
  });
});
