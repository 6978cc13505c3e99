import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway, defineStage } from '../../src/index.js';
import type { CompactionStage, Edit, TranscriptView } from '../../src/index.js';
import { validateOpenAiChat } from '../../src/testkit/index.js';
import { callOf, prose, quarter, resultOf, says, step, system, user, type Chat } from '../support/chats.js';
import { jsonLines, spillway, talk, temporaryFolder, wordsOf, sessionOf, preparedAt } from './support.js';

const folder = temporaryFolder();
const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

/** Compacts a file on the command line, and checks that the file itself is unchanged. */
async function compacted(name: string, content: string | Uint8Array, ...args: string[]) {
  const file = folder.file(name, content);
  const before = readFileSync(file);
  const ran = await spillway(['compact', file, '--window', '4000', '--json', ...args]);
  expect(readFileSync(file).equals(before)).toBe(true);
  const sent = ran.code === 0 && ran.out !== '' ? (JSON.parse(ran.out) as Chat[]) : [];
  if (ran.code === 0) expect(validateOpenAiChat(sent)).toEqual([]);
  const report = ran.code === 0 ? JSON.parse(ran.err.trim().split('\n').at(-1)!) : undefined;
  const kinds = ((report?.notices ?? []) as { kind: string }[]).map(({ kind }) => kind);
  return { ...ran, sent, report, kinds };
}

describe('text that is hard for tokenizers', () => {
  it('names of special tokens are counted and sent as plain text', async () => {
    const specials = ['<|endoftext|>', '<|fim_prefix|>', '<|im_start|>system', '<|endofprompt|>'].join(' ');
    const chat = [...TALK, user(`What does ${specials} mean?`)];
    const file = folder.file('special.jsonl', jsonLines(chat));
    for (const counter of ['o200k_base', 'cl100k_base', 'heuristic']) {
      const { code, out } = await spillway(['compact', file, '--window', '4000'], {
        SPILLWAY_COUNTER: counter,
      });
      expect(code).toBe(0);
      expect(wordsOf(JSON.parse(out).at(-1))).toContain(specials);
    }
  });

  it('a tool result of 200,000 characters without a break is compacted', async () => {
    const chat = [
      user('Decode it.'),
      ...step('Bash', { command: 'cat blob' }, 'A'.repeat(200_000)),
      says('No.'),
      user('And?'),
    ];
    const file = folder.file('run.jsonl', jsonLines(chat));
    for (const counter of ['o200k_base', 'heuristic']) {
      const { code, out } = await spillway(['compact', file, '--window', '4000'], {
        SPILLWAY_COUNTER: counter,
      });
      expect([counter, code]).toEqual([counter, 0]);
      expect(out.length).toBeLessThan(20_000);
    }
  });

  it('replacement patterns are sent unchanged, and half a character as a replacement character', async () => {
    const odd = "cost: $& $1 $$ `$'` \u0000 \ud800 end";
    const { code, sent } = await compacted('odd.jsonl', jsonLines([...TALK, user(odd)]));
    expect(code).toBe(0);
    expect(sent.at(-1)).toEqual(user(odd.replace('\ud800', '\ufffd')));
  });

  it('one tool result larger than the budget is cut to fit', async () => {
    const chat = [user('Build it.'), callOf([['b', 'Bash', {}]]), resultOf('b', prose(50_000))];
    const { code, sent, report } = await compacted('large.jsonl', jsonLines(chat));
    expect(code).toBe(0);
    expect(sent).toHaveLength(3);
    expect(report.tokens.after).toBeLessThanOrEqual(4_000);
  });
});

describe('faulty input files', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['not JSON', 'Dear model,\nplease go on.\n', 'INPUT_FORMAT'],
    ['an empty file', '', 'INPUT_FORMAT'],
    ['only white space', '\n  \n', 'INPUT_FORMAT'],
    ['JSON that is no session', '{"a": 1}\n{"a": 2}\n', 'INPUT_FORMAT'],
    ['a whole JSON value cut off', JSON.stringify(TALK).slice(0, -40), 'INPUT_FORMAT'],
    ['a picture', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'INPUT_FORMAT'],
    ['UTF-16', Buffer.from(`\ufeff${jsonLines(TALK)}`, 'utf16le'), 'INPUT_FORMAT'],
  ])('%s: the command names the fault and exits with 1', async (name, content, wanted) => {
    const { code, out, err } = await compacted(`${name.replaceAll(' ', '-')}.jsonl`, content);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${wanted}: `);
  });

  it('a missing file and a directory are reported as unreadable', async () => {
    for (const path of [join(folder.path, 'nowhere.jsonl'), folder.path]) {
      const { code, out, err } = await spillway(['compact', path]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^INPUT_UNREADABLE: /);
    }
  });

  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    console.log('skipped: "no permission to read" cannot be tried as root, who may read everything');
  (isRoot ? it.skip : it)('no permission to read', async () => {
    const file = folder.file('secret.jsonl', jsonLines(TALK));
    chmodSync(file, 0o000);
    const { code, err } = await spillway(['compact', file]);
    expect(code).toBe(1);
    expect(err).toMatch(/^INPUT_UNREADABLE: .*no permission/);
  });

  it('a last line that is cut off is skipped, with a notice', async () => {
    const { code, kinds, sent } = await compacted(
      'torn.jsonl',
      jsonLines(TALK.slice(0, 5)) + '{"role":"user","cont',
    );
    expect([code, kinds, sent]).toEqual([0, ['torn-line'], TALK.slice(0, 5)]);
  });

  it('replay and bench report a last line that is cut off, too', async () => {
    const file = folder.file('torn-too.jsonl', jsonLines(TALK.slice(0, 5)) + '{"role":"user","cont');
    const { err: replayed } = await spillway(['replay', file, '--window', '4000']);
    expect(replayed).toContain('mended line 6: the last line is cut off; skipped');
    const report = folder.file('torn-report.json', '');
    const bench = ['bench', file, '--windows', '4000', '--policies', 'keep-newest', '--report', report];
    expect((await spillway(bench)).err).toContain(
      `mended ${file}, line 6: the last line is cut off; skipped`,
    );
    expect(JSON.parse(readFileSync(report, 'utf8')).mended).toMatchObject({
      [file]: [{ kind: 'torn-line' }],
    });
  });

  it('the error for a request that is cut off says so', async () => {
    const file = folder.file('cut.json', JSON.stringify({ messages: TALK }).slice(0, -40));
    for (const command of ['compact', 'validate'])
      expect((await spillway([command, file])).err).toContain('may be cut off');
  });

  it('two objects on one line are both read', async () => {
    const lines = jsonLines(TALK.slice(0, 5)).replace('}\n{', '}{');
    const { code, kinds, sent } = await compacted('joined.jsonl', lines);
    expect([code, kinds, sent]).toEqual([0, ['joined-lines'], TALK.slice(0, 5)]);
  });

  it('a line over the limit is skipped with a notice', async () => {
    const file = folder.file(
      'long.jsonl',
      jsonLines([TALK[0], user('x'.repeat(5_000)), ...TALK.slice(1, 5)]),
    );
    const { parsed } = await readSession(file, { maxLineBytes: 4_000 });
    expect(parsed.messages).toHaveLength(5);
    expect(parsed.notices).toMatchObject([{ kind: 'long-line', at: 'line 2' }]);
  });

  it('orphan results, unknown roles and unknown parts are kept as text, with notices', async () => {
    const chat: Chat[] = [
      ...TALK.slice(0, 3),
      resultOf('never-called', 'forty-two'),
      { role: 'critic', content: 'Too long.' },
      {
        role: 'user',
        content: [
          { type: 'hologram', beam: 1 },
          { type: 'text', text: 'Look.' },
        ],
      },
      says('I see.'),
      user('And?'),
    ];
    const { code, kinds, sent } = await compacted('odd-roles.jsonl', jsonLines(chat));
    expect(code).toBe(0);
    expect(new Set(kinds)).toEqual(new Set(['unknown-role', 'unknown-part', 'orphan-result']));
    const all = wordsOf(sent);
    for (const word of ['forty-two', 'Too long.', 'hologram']) expect(all).toContain(word);
  });

  it('the error for an unknown format lists the known ones', async () => {
    const { code, err } = await compacted('format.jsonl', jsonLines(TALK), '--format', 'bedrock');
    expect(code).toBe(1);
    expect(err).toMatch(/INPUT_FORMAT: .*bedrock.*openai-chat/);
  });
});

describe('a budget or a setting that cannot work', () => {
  it('a window smaller than the floor ends with exit code 2, and nothing is written', async () => {
    const out = join(folder.path, 'unwritten', 'out.json');
    const file = folder.file('floor.jsonl', jsonLines([...TALK, user(prose(3_000))]));
    const before = readFileSync(file);
    const { code, out: stdout, err } = await spillway(['compact', file, '--window', '500', '--out', out]);
    expect([code, stdout]).toEqual([2, '']);
    expect(err).toMatch(/BUDGET_UNREACHABLE: .*unanswered user message/);
    expect(existsSync(out)).toBe(false);
    expect(readFileSync(file).equals(before)).toBe(true);
    const { code: shown, out: none } = await spillway(['compact', file, '--window', '500']);
    expect([shown, none]).toEqual([2, '']);
  });

  it.each<[string, object, string]>([
    ['NaN', { thresholds: { snipThreshold: Number.NaN } }, 'snipThreshold'],
    ['Infinity', { target: Infinity }, 'target'],
    ['a negative window', { window: -1 }, 'window'],
    ['a misspelt key', { tresholds: { snipThreshold: 0.8 } }, 'thresholds'],
    ['a stage option nobody has', { stages: { snip: { protectTocens: 1 } } }, 'protectTokens'],
  ])('%s is an error before anything starts', async (_what, settings, named) => {
    await expect(createSpillway({ counter: quarter, settings })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(named),
    });
  });

  it.each<[string, string]>([
    ['a misspelt key', 'thresholds:\n  snipTreshold: 0.7\n'],
    ['no mapping', '- 1\n- 2\n'],
    ['broken YAML', 'thresholds: {snip'],
  ])('a file with %s ends with exit code 1, and nothing is written', async (what, yaml) => {
    const config = folder.file(`${what.replaceAll(' ', '-')}.yaml`, yaml);
    const { code, out, err } = await compacted('fine.jsonl', jsonLines(TALK), '--config', config);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^(?:CONFIG_INVALID|INPUT_FORMAT): /);
  });

  it('a window that is no valid number is an error', async () => {
    for (const window of ['lots', '-5', '1.5', 'NaN', '']) {
      const { code, err } = await spillway(['compact', join(folder.path, 'fine.jsonl'), '--window', window]);
      expect([window, code]).toEqual([window, 1]);
      expect(err).toMatch(/CONFIG_INVALID/);
    }
  });
});

describe('a stage that misbehaves', () => {
  const replace = (messageId: string, text = 'x'): Edit => ({
    kind: 'replace',
    messageId,
    partIndex: 0,
    content: [{ type: 'text', text }],
    reason: 'because',
  });
  const supersede = (fromId: string, toId: string): Edit => ({
    kind: 'supersede',
    fromId,
    toId,
    replacement: [],
    reason: 'because',
  });
  const ring = (): object => {
    const ring: Record<string, unknown> = {};
    return (ring.ring = ring);
  };
  const nested = (levels: number): object => {
    let held: object = {};
    for (let i = 1; i < levels; i++) held = { held };
    return held;
  };
  /** A list with a length that is too large to read. */
  const endless = (): unknown[] =>
    new Proxy([], { get: (list, key) => (key === 'length' ? 1e9 : Reflect.get(list, key)) });
  const TOOLED = [...TALK, ...step('Bash', { command: 'ls' }, prose(300, 8)), says('So.')];

  async function run(plan: CompactionStage['plan']) {
    const rogue = defineStage({ name: 'rogue', summary: 'Misbehaves.', options: z.strictObject({}), plan });
    const session = await sessionOf(
      20_000,
      TOOLED,
      {
        roster: [
          { stage: 'rogue', opensAt: 0.7 },
          { stage: 'full', opensAt: 0.75 },
        ],
      },
      { stages: [rogue] },
    );
    const original = JSON.stringify(session.log.at(3));
    const { run: report, messages, reading } = await preparedAt(session, 0.9);
    // In every case the next stage did its work, the request is legal and the log is unchanged.
    expect(report.kind).toBe('committed');
    expect(reading.pressure).toBeLessThanOrEqual(0.6);
    expect(validateOpenAiChat(messages)).toEqual([]);
    expect(JSON.stringify(session.log.at(3))).toBe(original);
    const [first, second] = report.stages;
    expect([first!.stage, second!.stage, second!.outcome]).toEqual(['rogue', 'full', 'applied']);
    return { ...first!, fault: first!.faults[0]! };
  }

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('out of ideas');
      },
    ],
    [
      'throws what is no error',
      () => {
        throw null;
      },
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a promise', async () => ({ edits: [] })],
    ['returns a promise that fails', () => Promise.reject(new Error('late'))],
    ['returns edits that are no list', () => ({ edits: 'all' })],
    [
      'returns a list that throws',
      () => ({
        edits: new Proxy([1], {
          get: (list, key) => (key === 'length' ? 1 : Reflect.get(list, key) && JSON.parse('{')),
        }),
      }),
    ],
    ['returns a list that names a length beyond all', () => ({ edits: endless() })],
    [
      'returns more edits than could stand',
      () => ({ edits: Array.from({ length: 50_000 }, () => replace('m3')) }),
    ],
    [
      'never ends, in steps',
      function* () {
        for (;;) yield;
      },
    ],
    ['returns a state that cannot be kept', () => ({ edits: [], state: () => 1 })],
    ['returns a state with a bigint', () => ({ edits: [], state: { seen: 1n } })],
    ['returns a state that holds itself', () => ({ edits: [], state: ring() })],
    ['returns a state deeper than can be written', () => ({ edits: [], state: nested(5_000) })],
  ])('%s: it is reported as failed and skipped', async (_what, plan) => {
    const { outcome, fault } = await run(plan as never);
    expect([outcome, fault.code]).toEqual(['failed', 'STAGE_FAILED']);
  });

  it.each<[string, object]>([
    ['messages', { ...supersede('m5', 'm8'), replacement: endless() }],
    ['parts', { ...replace('m44'), content: endless() }],
  ])('gives an endless list as the %s of an edit: the edit is refused', async (_what, edit) => {
    const { outcome, fault } = await run(() => ({ edits: [edit as Edit] }));
    expect([outcome, fault.message]).toEqual(['refused', 'is no edit']);
  });

  it.each<[string, unknown]>([
    ['a bigint', 1n],
    ['a value that holds itself', ring()],
    ['a value deeper than can be written', nested(5_000)],
  ])('adds %s next to the text of a message or a part: the edit is refused', async (_what, beside) => {
    const words = { type: 'text', text: 'Old talk.' };
    const said = { id: 'n', role: 'assistant', origin: 'synthetic', parts: [words] };
    for (const message of [
      { ...said, beside },
      { ...said, parts: [{ ...words, beside }] },
    ]) {
      const edit = { ...supersede('m5', 'm8'), replacement: [message] } as unknown as Edit;
      const { outcome, refused, fault } = await run(() => ({ edits: [edit] }));
      expect([outcome, refused, fault.message]).toEqual(['refused', 1, 'is no edit']);
    }
  });

  it.each<[string, Edit, RegExp]>([
    ['edits a message nobody knows', replace('m999'), /m999, which is not in the log/],
    ['edits a part that is not there', { ...replace('m3'), partIndex: 7 } as Edit, /part 7/],
    ['edits a pin', replace('m0'), /m0, which is pinned/],
    ['puts words into the mouth of the user', replace('m3'), /mouth of the user/],
    ['splits an exchange', supersede('m40', 'm43'), /splits m43\.\.m44/],
    ['covers the question that has no answer', supersede('m40', 'fill900'), /fill900, which is unanswered/],
    ['begins after it ends', supersede('m9', 'm5'), /ends before it begins/],
    ['makes it larger', replace('m44', prose(900, 3)), /would not shrink the view/],
    [
      'speaks as the system',
      {
        ...supersede('m5', 'm8'),
        replacement: [
          { id: 'n', role: 'system', origin: 'synthetic', parts: [{ type: 'text', text: 'Obey.' }] },
        ],
      } as Edit,
      /system message/,
    ],
  ])('%s: the edit is refused with the reason', async (_what, edit, reason) => {
    const { outcome, refused, fault } = await run(() => ({ edits: [edit] }));
    expect([outcome, refused, fault.code]).toEqual(['refused', 1, 'EDIT_ILLEGAL']);
    expect(fault.message).toMatch(reason);
  });

  it.each<[string, (view: any) => unknown]>([
    ['the list of exchanges', (view) => (view.exchanges.length = 0)],
    ['the protection of one', (view) => (view.exchanges.at(-1).protection = undefined)],
    ['the messages of one', (view) => view.exchanges[0].messages.pop()],
    ['the size of a message', (view) => (view.exchanges[0].messages[0].size = { tokens: 0 })],
    ['a figure of that size', (view) => (view.exchanges[0].messages[0].size.tokens = 0)],
    ['the words of a message', (view) => (view.exchanges[0].messages[0].message.parts[0].text = 'x')],
    ['the words of an original', (view) => (view.originals(0, 0)[0].parts[0].text = 'x')],
  ])('writes to %s of its input: the stage fails and the log is unchanged', async (_, write) => {
    const { outcome, fault } = await run((view: TranscriptView) => (write(view), { edits: [] }));
    expect([outcome, fault.code]).toEqual(['failed', 'STAGE_FAILED']);
  });

  it('returns good and bad edits: only the good ones are applied', async () => {
    const { outcome, edits, refused } = await run(() => ({
      edits: [null, replace('m0'), replace('m44', 'gone'), 7, replace('m44', 'twice')] as Edit[],
    }));
    expect([outcome, edits, refused]).toEqual(['applied', 1, 4]);
  });
});
