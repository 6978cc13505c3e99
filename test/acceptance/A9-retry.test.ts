import type { PressureEvent, Warning } from '../../src/index.js';
import { GOOD, startEmulator, type Act, type Emulator } from '../emulator/index.js';
import { emulated, summariesOf } from './summarizer.js';
import { prose, step, system, user } from '../support/chats.js';
import { engine, read, talk, temporaryFolder, spillway as cli, preparedAt } from './support.js';

const folder = temporaryFolder();

/** Characters of the longest tool result in each request, without the marks of omission. */
const shownChars = ({ received }: Emulator): number[] =>
  received.map(({ body }) => {
    const [, asked] = body['messages'] as { content: string }[];
    const shown = [...asked!.content.matchAll(/\w+ returned: ([^]*?)\n<\/message>/g)].map(
      ([, text]) => text!.replace(/\s*\[(?:… )?\d+ characters left out(?: …)?\]\s*/g, '').length,
    );
    return Math.max(0, ...shown);
  });

async function compacted(emulator: Emulator, settings: object = {}) {
  const spillway = await engine(20_000, emulated(emulator, settings), { profile: 'agent' });
  const session = spillway.session();
  const reads = Array.from({ length: 12 }, (_, i) => step('read', { path: `src/m${i}.ts` }, prose(500, i)));
  session.append(...read([system('Be brief.'), user('Read all.'), ...reads.flat(), ...talk(6, 150)]));
  const { run } = await preparedAt(session, 0.85);
  return { session, run };
}

describe('A9: progressive retry', () => {
  it.each<[string, Act]>([
    ['the source is longer than the model reads', 'context-length'],
    ['the summary is too large', 'oversized'],
  ])('shortens tool results to 200, 150, 100, 50 and 0 characters when %s', async (_, act) => {
    const emulator = await startEmulator();
    emulator.script = [act, act, act, act];
    const { session, run } = await compacted(emulator);
    const shown = shownChars(emulator);
    expect(shown.map((chars) => Math.round(chars / 10) * 10)).toEqual([200, 150, 100, 50, 0]);
    expect(run.calls!.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(summariesOf(session)[0]).toContain(GOOD);
    expect(run.warnings).toBeUndefined();
  });

  it('keeps fewer of the newest messages before it drops anything', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(20_000, emulated(emulator), { profile: 'agent' });
    const session = spillway.session();
    // The last ten messages, which partial keeps, are larger than the budget.
    session.append(...read([system('Be brief.'), ...talk(10, 100), ...talk(5, 3_000, 700)]));
    session.append(...read([user('And now?')]).map((message) => ({ ...message, id: 'last' })));
    const { run, reading } = await session.prepare();
    const steps = run.stages.filter(({ stage }) => stage === 'partial').length;
    expect(steps).toBeGreaterThan(1);
    expect(run.stages.map(({ stage }) => stage)).not.toContain('drop');
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(summariesOf(session)[0]).toContain(GOOD);
    expect(session.view.filter(({ message }) => message.origin !== 'synthetic').length).toBeLessThan(11);
    expect(session.view.at(-1)!.message.id).toBe('last');
  });

  it('warns in the record and as an event, with advice, if the session remains full or cannot fit', async () => {
    const emulator = await startEmulator();
    const spillway = await engine(8_000, emulated(emulator), { profile: 'agent' });
    const session = spillway.session();
    const warned: Warning[] = [];
    session.events.subscribe((event: PressureEvent) => {
      if (event.kind === 'warning') warned.push({ code: event.code, message: event.message });
    });
    // The last question may not be removed, and leaves no room for anything else.
    session.append(...read([system('Be brief.'), ...talk(4, 300), user(`Do: ${prose(7_300, 5)}`)]));
    const { run } = await session.prepare();
    expect(run.warnings).toEqual([
      {
        code: 'still-full',
        message: expect.stringMatching(
          /still fills 9\d % of its budget.*Compact by hand.*larger window.*new session/,
        ),
      },
    ]);
    expect(run.record!.warnings).toEqual(run.warnings);
    expect(warned).toEqual(run.warnings);

    const more = read([user(`And: ${prose(3_000, 6)}`), user('x '.repeat(30_000))]);
    session.append(...more.map((message, i) => ({ ...message, id: `more${i}` })));
    await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    expect(warned.at(-1)).toEqual({
      code: 'floor-too-large',
      message: expect.stringMatching(/may never be removed does not fit.*new session/),
    });
  });

  it('puts a warning in each record, but emits one event, if every run leaves the session full', async () => {
    const session = (await engine(8_000)).session({
      tools: [{ name: 'mill', description: prose(6_700, 5) }],
    });
    const warned: string[] = [];
    session.events.subscribe((event) => {
      if (event.kind === 'warning') warned.push(event.code);
    });
    session.append(...read([system('Be brief.'), user('Do it.'), ...talk(4, 300)]));
    const runs = [];
    for (let i = 0; i < 8; i++) {
      session.append(...read(talk(2, 150, 100 + i)).map((one) => ({ ...one, id: `${i}${one.id}` })));
      runs.push((await session.prepare()).run);
    }
    const full = runs.filter(({ warnings = [] }) => warnings.some(({ code }) => code === 'still-full'));
    expect(full.length).toBeGreaterThan(2);
    expect(full.at(-1)!.record!.warnings).toHaveLength(1);
    expect(warned).toEqual(['still-full']);
  });

  it('does not warn after a run that frees nothing while a later stage can still open', async () => {
    const ranAt = async (pressure: number): Promise<unknown> => {
      const { run } = await preparedAt((await engine(8_000)).session(), pressure);
      return [run.kind, run.warnings?.map(({ code }) => code)];
    };
    expect(await ranAt(0.82)).toEqual(['noop', undefined]);
    expect(await ranAt(0.96)).toEqual(['noop', undefined]);
    expect(await ranAt(0.985)).toEqual(['noop', ['still-full']]);
  });

  it('prints the warning on the command line', async () => {
    const chat = [system('Be brief.'), ...talk(4, 300), user(`Do: ${prose(7_300, 5)}`)];
    const file = folder.file('full.json', JSON.stringify(chat));
    const { err } = await cli(['compact', file, '--window', '8000', '--profile', 'agent']);
    expect(err).toMatch(/still fills \d+ % of its budget/);
  });

  it('warns if the summarizer refuses every attempt as too long', async () => {
    const emulator = await startEmulator('context-length');
    const { run } = await compacted(emulator);
    expect(run.warnings).toEqual([
      { code: 'source-too-long', message: expect.stringMatching(/could not take the source.*fill\.chunks/) },
    ]);
    expect(run.record!.warnings).toEqual(run.warnings);
    expect(emulator.received).toHaveLength(5);
  });
});
