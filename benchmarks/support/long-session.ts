import type { Message } from '../../src/transcript/index.js';

/** A tool-heavy session of any length, made from a fixed seed: the same messages on every machine. */
export function* longSession(length: number): Generator<Message> {
  let seed = 7;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return seed % below;
  };
  const words = [
    'reader',
    'buffer',
    'socket',
    'parser',
    'window',
    'ledger',
    'cursor',
    'filter',
    'stream',
    'packet',
  ];
  const word = (): string => words[next(words.length)]!;
  const path = (): string => `src/${word()}/${word()}-${next(400)}.ts`;
  let id = 0;
  const message = (rest: Omit<Message, 'id'>): Message => ({ id: `m${id++}`, ...rest });
  yield message({
    role: 'system',
    origin: 'system',
    parts: [{ type: 'text', text: 'You work on a code base and use tools.' }],
  });
  while (id < length) {
    if (id % 40 === 1) {
      const text = `Please change the ${word()} in ${path()} so that it keeps at most ${next(9_000)} entries.`;
      yield message({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] });
    }
    const callId = `call_${id}`;
    const target = path();
    const name = ['read_file', 'search', 'run_command'][next(3)]!;
    yield message({
      role: 'assistant',
      origin: 'model',
      parts: [
        {
          type: 'text',
          text: `I look at the ${word()} next, because ${target} decides how the ${word()} behaves.`,
        },
        { type: 'tool-call', callId, name, arguments: JSON.stringify({ path: target, limit: next(500) }) },
      ],
    });
    const lines = Array.from(
      { length: 10 + next(60) },
      (_, i) => `${i + 1}: const ${word()}_${next(5_000)} = make${next(900)}('${word()} ${next(99_999)}');`,
    );
    yield message({
      role: 'tool',
      origin: 'tool',
      parts: [{ type: 'tool-result', callId, name, content: [{ type: 'text', text: lines.join('\n') }] }],
    });
  }
}
