import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway, replaySession } from '../../src/index.js';
import { validateOpenAiChat, validators } from '../../src/testkit/index.js';
import { prose, says, step, system, user, type Chat } from '../support/chats.js';
import { jsonLines, readJson, spillway, temporaryFolder } from './support.js';

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
const BUDGET = ['--window', '4000'];
const place = (name: string): string => join(folder.path, name);

describe('spillway compact', () => {
  it('writes only messages to stdout, and the report to stderr', async () => {
    const { code, out, err } = await spillway(['compact', FILE, ...BUDGET]);
    expect(code).toBe(0);
    const sent = JSON.parse(out) as Chat[];
    expect(validateOpenAiChat(sent)).toEqual([]);
    expect(out.length).toBeLessThan(jsonLines(CHAT).length / 2);
    expect(err).toMatch(/pressure \d+\.\d % -> \d+\.\d % of 3,800 tokens/);
    expect(err).toMatch(/\bsnip +80\.0 %/);
    expect(err).toMatch(/\d+ kept, \d+ pinned, \d+ replaced in part, \d+ superseded/);
  });

  it('counts the messages of a stage in the report as the stage does', async () => {
    const { err } = await spillway(['compact', 'examples/sessions/pressure-gauge.jsonl', '--window', '8000']);
    expect(err).toMatch(/^ +(\d+)  superseded by auto: \1 messages give way to a summary$/m);
  });

  it('--out and --report write files, and stdout stays empty', async () => {
    const { code, out, err } = await spillway([
      'compact',
      FILE,
      ...BUDGET,
      '--out',
      place('deep/out.json'),
      '--report',
      place('deep/report.json'),
    ]);
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/pressure/);
    const stdout = await spillway(['compact', FILE, ...BUDGET]);
    expect(readFileSync(place('deep/out.json'), 'utf8')).toBe(stdout.out);
    expect(readJson(place('deep/report.json'))).toMatchObject({
      format: 'openai-chat',
      run: { kind: 'committed' },
    });
    // Files are written completely or not at all: no drafts remain.
    expect(readdirSync(place('deep')).sort()).toEqual(['out.json', 'report.json']);
  });

  it('--json writes the report to stderr as JSON, with the disposition of every message', async () => {
    const { code, err } = await spillway(['compact', FILE, ...BUDGET, '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(err);
    expect(report).toMatchObject({
      file: FILE,
      messages: { before: CHAT.length },
      budget: { tokens: 3_800 },
    });
    expect(report.dispositions).toHaveLength(CHAT.length);
    expect(report.dispositions[0]).toMatchObject({ id: 'm0', status: 'pinned' });
    const counts = Object.values(report.kept as Record<string, number>);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(CHAT.length);
    expect(
      report.dispositions.find(({ status }: { status: string }) => status === 'superseded').by,
    ).toMatchObject({ stage: expect.any(String), reason: expect.any(String) });
  });

  it('--upto ends the session before the given message', async () => {
    const { out } = await spillway(['compact', FILE, '--window', '100000', '--upto', '12']);
    expect(JSON.parse(out)).toEqual(CHAT.slice(0, 12));
  });

  it('--target compacts at once to the given pressure, whatever the gates are', async () => {
    const idle = await spillway(['compact', FILE, '--window', '20000', '--json']);
    expect(JSON.parse(idle.err).run.kind).toBe('below-gate');
    const { code, err } = await spillway(['compact', FILE, '--window', '20000', '--target', '0.2', '--json']);
    expect(code).toBe(0);
    const report = JSON.parse(err);
    expect(report.run).toMatchObject({ kind: 'committed', reason: 'asked for pressure 0.2' });
    expect(report.pressure.after).toBeLessThanOrEqual(0.2);
    for (const wrong of ['1.2', '-1', 'low', ''])
      expect((await spillway(['compact', FILE, '--target', wrong])).code).toBe(1);
  });

  it('takes a list, a request body or lines, and keeps unknown fields', async () => {
    const odd = CHAT.slice(0, 6).map((message, i) => ({ ...message, vendor_field: { i } }));
    const files = [
      folder.file('list.json', JSON.stringify(odd)),
      folder.file('body.json', JSON.stringify({ model: 'gpt-4o', messages: odd }, null, 2)),
      folder.file('lines.jsonl', jsonLines(odd)),
    ];
    for (const file of files) {
      const { code, out } = await spillway(['compact', file, '--window', '100000']);
      expect([file, code]).toEqual([file, 0]);
      expect(JSON.parse(out)).toEqual(odd);
    }
  });

  it('gives the same bytes for the same command', async () => {
    const [one, two] = [
      await spillway(['compact', FILE, ...BUDGET]),
      await spillway(['compact', FILE, ...BUDGET]),
    ];
    expect(two.out).toBe(one.out);
  });

  it('writes a request in its own format, and a recording in OpenAI chat', async () => {
    const claude = place('to-claude.json');
    await spillway(['compact', FILE, ...BUDGET, '--to', 'anthropic', '--out', claude]);
    const again = JSON.parse((await spillway(['compact', claude, '--window', '2000'])).out);
    expect(validators.get('anthropic')!(again)).toEqual([]);
    expect(JSON.stringify(again)).toMatch(/"type":"tool_use"/);
    const recorded = [{ kind: 'meta' }, ...CHAT].map((line) => JSON.stringify(line)).join('\n');
    const { out } = await spillway(['compact', folder.file('recorded.jsonl', recorded), ...BUDGET]);
    expect(validateOpenAiChat(JSON.parse(out))).toEqual([]);
    expect(out).toMatch(/"tool_calls"/);
  });

  it('--out writes into a pipe and leaves it a pipe', async () => {
    const pipe = place('pipe');
    execFileSync('mkfifo', [pipe]);
    // Open for reading and writing, so that neither end waits for the other.
    const ends = openSync(pipe, 'r+');
    const { code } = await spillway(['compact', FILE, ...BUDGET, '--out', pipe]);
    expect(code).toBe(0);
    const read = Buffer.alloc(1 << 16);
    const sent = read.toString('utf8', 0, readSync(ends, read));
    closeSync(ends);
    expect(validateOpenAiChat(JSON.parse(sent))).toEqual([]);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  it('ends with exit code 1 and OUTPUT_UNWRITABLE if it cannot write', async () => {
    const { code, err } = await spillway(['compact', FILE, ...BUDGET, '--out', join(FILE, 'out.json')]);
    expect(code).toBe(1);
    expect(err).toMatch(/OUTPUT_UNWRITABLE/);
  });
});

describe('spillway replay', () => {
  const assistants = CHAT.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));

  it('--contexts-at writes what prepare returned for a call to context-<j>.json', async () => {
    const wanted = [assistants[0]!, assistants[15]!, assistants.at(-1)!];
    const out = place('contexts');
    const { code, out: stdout } = await spillway([
      'replay',
      FILE,
      ...BUDGET,
      '--contexts-at',
      wanted.join(),
      '--out',
      out,
    ]);
    expect([code, stdout]).toEqual([0, '']);
    expect(readdirSync(out).sort()).toEqual(wanted.map((index) => `context-${index}.json`).sort());

    const session = (
      await createSpillway({ inputBudget: 4_000, settings: { counter: 'heuristic' } })
    ).session();
    for await (const { index, prepared } of replaySession(
      session,
      (await readSession(FILE)).parsed.messages,
    )) {
      if (wanted.includes(index))
        expect(readJson(join(out, `context-${index}.json`))).toEqual(prepared!.messages);
    }
    expect(session.operator.history.length).toBeGreaterThan(1);
    // Before the first compaction the context is the beginning of the session.
    expect(readJson(join(out, `context-${wanted[0]}.json`))).toEqual(CHAT.slice(0, wanted[0]));
  });

  it.each([
    ['1', 'a user message'],
    ['3', 'a tool message'],
    ['99999', 'no such message'],
    ['2,1', 'a user message'],
  ])(
    '--contexts-at %s, which is no index of a model call, ends with INPUT_INDEX and writes nothing',
    async (indexes, found) => {
      const out = place(`none-${indexes}`);
      const { code, err } = await spillway([
        'replay',
        FILE,
        ...BUDGET,
        '--contexts-at',
        indexes,
        '--out',
        out,
      ]);
      expect(code).toBe(1);
      expect(err).toMatch(/^INPUT_INDEX: /);
      expect(err).toContain(found);
      expect(existsSync(out)).toBe(false);
    },
  );

  it('--contexts-at and --out are refused without each other', async () => {
    for (const [given, missing] of [
      [['--contexts-at', String(assistants[0])], '--out'],
      [['--out', place('no-contexts')], '--contexts-at'],
    ] as const) {
      const { code, err } = await spillway(['replay', FILE, ...BUDGET, ...given]);
      expect([code, err]).toEqual([1, expect.stringMatching(`^CONFIG_INVALID: ${missing}; found "nothing"`)]);
    }
  });

  it('reports every call and the totals', async () => {
    const { code, err } = await spillway(['replay', FILE, ...BUDGET, '--json']);
    expect(code).toBe(0);
    const { calls, totals } = JSON.parse(err);
    expect(calls.map(({ index }: { index: number }) => index)).toEqual(assistants);
    expect(totals).toMatchObject({ messages: CHAT.length, calls: assistants.length, unreachable: 0 });
    expect(totals.compactions).toBeGreaterThan(1);
    expect(totals.highestPressure).toBeLessThanOrEqual(1);
    const { err: table } = await spillway(['replay', FILE, ...BUDGET]);
    expect(table).toMatch(new RegExp(`${assistants.length} calls, ${totals.compactions} compactions`));
  });

  it('reports a call that cannot fit, and continues with the next', async () => {
    const chat = [user('Go.'), says('Yes.'), user(prose(3_000)), says('No.'), user('And now?'), says('Yes.')];
    const file = folder.file('large.jsonl', jsonLines(chat));
    const { code, err } = await spillway(['replay', file, '--window', '1000', '--json']);
    expect(code).toBe(0);
    const { calls, totals } = JSON.parse(err);
    expect(calls.map((call: { error?: { code: string } }) => call.error?.code)).toEqual([
      undefined,
      'BUDGET_UNREACHABLE',
      undefined,
    ]);
    expect(totals.unreachable).toBe(1);
  });
});

describe('spillway validate', () => {
  it('exits with 0 for a legal request, and with 1 and the broken rule otherwise', async () => {
    const legal = folder.file('legal.json', JSON.stringify({ messages: CHAT }));
    expect(await spillway(['validate', legal])).toMatchObject({
      code: 0,
      out: expect.stringContaining('legal openai-chat'),
    });
    const broken = folder.file('broken.json', JSON.stringify(CHAT.filter((_, i) => i !== 3)));
    const { code, out } = await spillway(['validate', broken, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out).violations[0]).toMatchObject({ rule: 'C1', at: 2 });
  });

  it('detects the format of a request, and reports which one it took', async () => {
    const content = [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }];
    const messages = [user('Look.'), { role: 'assistant', content }, user('Well?')];
    const file = folder.file('claude.json', JSON.stringify({ messages }));
    const { code, out, err } = await spillway(['validate', file]);
    expect([code, out]).toEqual([1, expect.stringMatching(/: A\d at message \d/)]);
    expect(err).toMatch(/read as anthropic; --format names another/);
    expect((await spillway(['validate', place('nowhere')])).err).toMatch(/"no such file"/);
  });

  it('exits with 1 for bytes that are not UTF-8, which no provider reads', async () => {
    const file = folder.file('latin.json', '');
    const request = JSON.stringify({ messages: [user('Caf\u00e9?')] });
    writeFileSync(file, Buffer.from(request, 'latin1'));
    const { code, out, err } = await spillway(['validate', file]);
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/INPUT_FORMAT.*latin\.json.*not UTF-8/)]);
    writeFileSync(file, request);
    expect((await spillway(['validate', file])).code).toBe(0);
  });

  it('accepts what compact writes', async () => {
    writeFileSync(place('sent.json'), (await spillway(['compact', FILE, ...BUDGET])).out);
    expect((await spillway(['validate', place('sent.json')])).code).toBe(0);
  });
});

describe('exit codes and messages', () => {
  it('the exit code is 0 for success, 1 for faulty input or settings, 2 if the budget cannot be reached', async () => {
    expect((await spillway(['compact', FILE, ...BUDGET])).code).toBe(0);
    expect((await spillway(['--help'])).code).toBe(0);
    for (const args of [
      ['compact', place('nowhere')],
      ['compact'],
      ['compress', FILE],
      ['compact', FILE, '--windows', '5'],
      ['compact', FILE, '--profile', 'nobody'],
    ])
      expect([args, (await spillway(args)).code]).toEqual([args, 1]);
    expect((await spillway(['compact', FILE, '--window', '10'])).code).toBe(2);
  });

  it('the error for an unknown profile names it and lists the known ones', async () => {
    const { err } = await spillway(['compact', FILE, '--profile', 'nobody']);
    expect(err).toMatch(/^PROFILE_UNKNOWN: .*nobody.*staged/);
    const store = `sqlite:${place('mill.db')}`;
    await (await createSpillway({ store, env: {} })).close();
    for (const command of ['mcp', 'costs'])
      expect((await spillway([command, '--store', store, '--profile', 'nobody'])).err).toMatch(
        /^PROFILE_UNKNOWN: .*nobody/,
      );
  });

  it('help and listings go to stdout', async () => {
    const help = await spillway(['--help']);
    expect(help.out).toMatch(/compact.*replay.*validate.*stages/s);
    expect(help.err).toBe('');
    const listed = await spillway(['stages']);
    for (const stage of ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])
      expect(listed.out).toContain(stage);
  });

  it('no command changes the session file', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(jsonLines(CHAT));
  });
});

describe('the input file and results', () => {
  it('a result is never written to the input file, whatever name leads there', async () => {
    const text = jsonLines(CHAT);
    const input = folder.file('never.jsonl', text);
    const link = `${input}.link`;
    symlinkSync(input, link);
    for (const command of ['compact', 'replay'])
      for (const flag of ['--out', '--report'])
        for (const target of [input, link, join(input, '..', 'never.jsonl')]) {
          if (command === 'replay' && flag === '--out') continue;
          const { code, err } = await spillway([command, input, ...BUDGET, flag, target]);
          expect([code, err]).toEqual([1, expect.stringContaining('OUTPUT_UNWRITABLE')]);
        }
    const context = folder.file('context-3.json', text);
    const { code } = await spillway([
      'replay',
      context,
      ...BUDGET,
      '--contexts-at',
      '3',
      '--out',
      join(context, '..'),
    ]);
    expect(code).toBe(1);
    expect(readFileSync(input, 'utf8')).toBe(text);
    expect(readFileSync(context, 'utf8')).toBe(text);
  });

  it('a result keeps the permissions of the file that it replaces, and no draft follows a link', async () => {
    const input = folder.file('beside.jsonl', jsonLines(CHAT));
    const victim = folder.file('victim.txt', 'mine');
    const out = folder.file('beside.json', 'old');
    for (const rights of [0o600, 0o666]) {
      chmodSync(out, rights);
      expect((await spillway(['compact', input, ...BUDGET, '--out', out])).code).toBe(0);
      expect(statSync(out).mode & 0o777).toBe(rights);
    }
    symlinkSync(victim, `${out}.${process.pid}.part`);
    expect((await spillway(['compact', input, ...BUDGET, '--out', out])).code).toBe(1);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it('a result goes to the target of a link, and never replaces another result', async () => {
    const input = folder.file('behind.jsonl', jsonLines(CHAT));
    const [target, link] = [folder.file('target.json', 'old'), place('link.json')];
    symlinkSync(target, link);
    expect((await spillway(['compact', input, ...BUDGET, '--out', link])).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(expect.any(Array));
    for (const other of [link, target, place('new.json')]) {
      const { code, err } = await spillway(['compact', input, ...BUDGET, '--out', other, '--report', other]);
      expect([code, err]).toEqual([1, expect.stringContaining('the place of another result')]);
    }
    expect(existsSync(place('new.json'))).toBe(false);
    const nowhere = ['--out', '/dev/null', '--report', '/dev/null'];
    expect((await spillway(['compact', input, ...BUDGET, ...nowhere])).code).toBe(0);
  });
});
