import { chunksOf } from '../../../src/summarizers/index.js';
import type { LogMessage, Part } from '../../../src/transcript/index.js';

const count = (text: string): number => Math.ceil(text.length / 4);
const size = { tokens: 0, bytes: 0, images: 0, parts: [] };

/** A transcript that grows by words and by steps of a call and its result. */
class Chat {
  readonly messages: LogMessage[] = [];

  says(role: 'user' | 'assistant', text: string): this {
    return this.#add(role, { type: 'text', text });
  }

  step(name: string, given: unknown, text: string, isError = false): this {
    const callId = `c${this.messages.length}`;
    this.#add('assistant', { type: 'tool-call', callId, name, arguments: JSON.stringify(given) });
    const content = [{ type: 'text' as const, text }];
    return this.#add('tool', { type: 'tool-result', callId, name, content, isError });
  }

  /** What a summarizer is shown of it, a piece an item. */
  shown(more: Partial<Parameters<typeof chunksOf>[0]> = {}): string[] {
    return chunksOf({
      source: { messages: this.messages, tokens: 1 },
      exchangeOf: (seq) => Math.floor(seq / 2),
      resultChars: 2_000,
      question: 'And now?',
      chunks: 1,
      chunkTokens: 100_000,
      count,
      redact: (text) => text,
      ...more,
    }).map(({ text }) => text);
  }

  #add(role: LogMessage['role'], part: Part): this {
    const seq = this.messages.length;
    const origin = role === 'user' ? 'user' : role === 'tool' ? 'tool' : 'model';
    this.messages.push({ id: `m${seq}`, seq, role, origin, parts: [part], size });
    return this;
  }
}

const lines = (word: string, many: number): string =>
  Array.from({ length: many }, (_, i) => `${word} ${i} of the roof beam`).join('\n');

describe('a summarizer is shown', () => {
  it('the complete new text of an edit, and only the beginning of the old text', () => {
    const [shown] = new Chat()
      .step(
        'edit',
        { file_path: 'src/roof.ts', old_string: lines('old', 60), new_string: lines('new', 60) },
        'ok',
      )
      .shown();
    expect(shown).toContain(lines('new', 60));
    expect(shown).toContain('file_path: src/roof.ts');
    expect(shown).not.toContain('old 30 of');
    expect(shown).toContain('old 0 of');
  });

  it('several edits of one call, patches and documents that the agent wrote into calls', () => {
    const patch = `*** Begin Patch\n*** Update File: a.ts\n${lines('+const', 40)}\n*** End Patch`;
    const body = lines('Reason', 40);
    const message = `Tilt the roof\n\n${lines('Because rain', 30)}`;
    const [shown] = new Chat()
      .step(
        'multi_edit',
        { path: 'b.ts', edits: [{ old_string: 'x', new_string: lines('first', 30) }] },
        'ok',
      )
      .step('apply_patch', { input: patch }, 'ok')
      .step(
        'bash',
        { command: `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"` },
        '[main 1a2b3c4] Tilt the roof',
      )
      .step('create_pull_request', { title: 'Tilt', body }, 'created')
      .shown();
    for (const text of [lines('first', 30), patch, message, body]) expect(shown).toContain(text);
  });

  it('a long search call cut to less than 900 characters', () => {
    const [shown] = new Chat().step('grep', { pattern: `roof\\n${'x'.repeat(5_000)}` }, 'none').shown();
    expect(shown!.length).toBeLessThan(900);
  });

  it('a repeated read or listing once, the newest, with a line for the others', () => {
    const [shown] = new Chat()
      .step('read', { path: 'src/roof.ts' }, lines('before', 30))
      .step('bash', { command: 'ls -la' }, lines('old file', 30))
      .says('assistant', 'I tilt it.')
      .says('user', 'Yes.')
      .step('bash', { command: 'ls -la' }, lines('new file', 30))
      .step('read', { path: 'src/roof.ts' }, lines('after', 30))
      .shown();
    expect(shown).toContain(lines('after', 30));
    expect(shown).toContain(lines('new file', 30));
    expect(shown).not.toMatch(/before 3 |old file 3 /);
    expect(shown!.match(/a later result in this transcript shows the same/g)).toHaveLength(2);
  });

  it('every answer of a tool that reports a state, unless a later one holds it', () => {
    const finding = `{"agents":[{"name":"reviewer","completed":"${'The roof leaks at the ridge. '.repeat(30)}"}]}`;
    const [shown] = new Chat()
      .step('list_agents', {}, finding)
      .step('search_code', { query: 'roof' }, lines('hit', 60))
      .step(
        'list_agents',
        {},
        `{"agents":[{"name":"reviewer","running":"${'Looks at the walls. '.repeat(30)}"}]}`,
      )
      .step('search_code', { query: 'roof' }, lines('hit', 61))
      .shown();
    expect(shown).toContain(finding);
    expect(shown!.match(/a later result in this transcript shows the same/g)).toHaveLength(1);
  });

  it('of a repeated check how each run ended', () => {
    const [shown] = new Chat()
      .step('bash', { command: 'npm test' }, `${lines('log', 40)}\nTests: 3 failed, 4 passed`)
      .step('bash', { command: 'npm test' }, `${lines('log', 41)}\nTests: 7 passed`)
      .shown();
    expect(shown).toContain('It ended: Tests: 3 failed, 4 passed');
    expect(shown).toContain('Tests: 7 passed');
  });

  it('an earlier answer in full if the same call failed later', () => {
    const [shown] = new Chat()
      .step('read', { path: 'src/roof.ts' }, lines('before', 30))
      .step('read', { path: 'src/roof.ts' }, `ENOENT: ${'no such file '.repeat(50)}`, true)
      .shown();
    expect(shown).toContain(lines('before', 30));
  });

  it('the error lines of a failure that is cut, also from its middle', () => {
    const output = `${lines('step', 200)}\nTypeError: beam is not a function\n${lines('later', 200)}`;
    const [shown] = new Chat().step('bash', { command: 'npm run build' }, output).shown({ resultChars: 100 });
    expect(shown).toContain('TypeError: beam is not a function');
    expect(shown!.length).toBeLessThan(600);
  });

  it('no error lines of a file that was read without a failure', () => {
    const source = `${lines('code', 200)}\nthrow new TypeError('beam');\n${lines('more', 200)}`;
    const [shown] = new Chat().step('read', { path: 'src/roof.ts' }, source).shown({ resultChars: 100 });
    expect(shown).not.toContain('TypeError');
  });

  it('another agent’s summary as one, never as the user’s demand', () => {
    const [shown] = new Chat()
      .says(
        'user',
        'This session is being continued from a previous conversation that ran out of context.\nNever push.',
      )
      .says('user', 'Go on.')
      .shown();
    expect(shown).toMatch(/from="earlier-summary" label="continuation">\nNever push\./);
    expect(shown!.match(/from="user">\n([^]*?)\n<\/message>/g)).toEqual(['from="user">\nGo on.\n</message>']);
  });

  it('the text of programs in a user message apart from the user’s own words', () => {
    const [shown] = new Chat()
      .says('user', 'Tilt the roof.\n<system-reminder>\nNever commit secrets.\n</system-reminder>')
      .shown();
    expect(shown).toMatch(/from="user">\nTilt the roof\.\n<\/message>/);
    expect(shown).toMatch(/from="program" label="[^"]*">\nNever commit secrets\./);
  });
});

describe('if room is short', () => {
  const words = lines('The beam was too short because', 20);
  const written = lines('const beam', 130);
  const chat = (): Chat => {
    const made = new Chat().says('user', 'Never touch the cellar.').says('assistant', words);
    for (let i = 0; i < 12; i++) made.step('bash', { command: `cat log${i}` }, lines(`output ${i}`, 90));
    return made.step('write', { path: 'a.ts', content: written }, 'ok');
  };

  it('results are left out first, then written files; spoken text stays', () => {
    const held = [40_000, 3_000, 800].map((chunkTokens) => {
      // One exchange, which no division into pieces helps.
      const [shown] = chat().shown({ chunkTokens, exchangeOf: () => 0 });
      return [shown!.includes('output 3 20 of'), shown!.includes(written), shown!.includes(words)];
    });
    expect(held).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
    ]);
  });

  it.each([300, 700, 2_000, 5_000])('each piece fits %d tokens', (chunkTokens) => {
    for (const piece of chat().shown({ chunkTokens })) expect(count(piece)).toBeLessThanOrEqual(chunkTokens);
  });

  it('a piece shows as much of its results as fits it', () => {
    const few = new Chat()
      .step('bash', { command: 'cat a' }, lines('output', 70))
      .shown({ chunkTokens: 1_000 });
    expect(few[0]).toContain(lines('output', 70));
  });

  it('full pieces stay the same while the span grows', () => {
    const before = chat();
    const pieces = before.shown({ chunkTokens: 1_500 });
    expect(pieces.length).toBeGreaterThan(2);
    before.step('bash', { command: 'cat log0' }, lines('output 0 again', 90)).says('user', 'Good.');
    const grown = before.shown({ chunkTokens: 1_500 });
    expect(grown.slice(0, pieces.length - 1)).toEqual(pieces.slice(0, -1));
  });

  it.each([400, 401, 402, 403])('a result cut to %s characters splits no surrogate pair', (resultChars) => {
    const [shown] = new Chat().step('read', { path: 'faces.txt' }, '😀'.repeat(900)).shown({ resultChars });
    expect(shown).toContain('characters left out');
    expect(shown!.isWellFormed()).toBe(true);
  });
});
