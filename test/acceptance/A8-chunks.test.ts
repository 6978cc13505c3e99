import { GOOD, startEmulator, type Emulator } from '../emulator/index.js';
import { emulated, summariesOf } from './summarizer.js';
import { engine, prose, read, step, system, talk, user, times, preparedAt } from './support.js';

/** What each chunk contains: its messages, a summary so far if there is one, and the todos. */
const piecesOf = ({ received }: Emulator) =>
  received.map(({ body }) => {
    const words = (body['messages'] as { content: string }[]).map(({ content }) => content).join('\n');
    return {
      ids: [...words.matchAll(/<message id="([^"]+)/g)].map(([, id]) => id!),
      previous: words.includes('<summary>'),
      todos: /<todos>(.*?)<\/todos>/s.exec(words)?.[1],
      words,
    };
  });

async function compacted(emulator: Emulator, settings: object) {
  const spillway = await engine(20_000, emulated(emulator, settings), { profile: 'agent' });
  const session = spillway.session();
  const todo = (state: string) => step('todo_write', { todos: [{ content: 'roof', status: state }] }, 'ok');
  const reads = (from: number) =>
    times(8, (i) => step('read', { path: `src/m${from + i}.ts` }, prose(300, from + i)));
  const chat = [
    system('Be brief.'),
    user('Build the mill.'),
    ...todo('pending'),
    ...reads(0),
    ...todo('in_progress'),
    ...reads(20),
    ...talk(6, 150),
  ];
  session.append(...read(chat));
  const { run } = await preparedAt(session, 0.85);
  expect(run.kind).toBe('committed');
  return { session, run, log: session.log };
}

describe('A8: a span that is summarized in N chunks, one after the other', () => {
  it.each([1, 2, 4])(
    'N = %d: each summary is given to the next chunk, and only the last chunk has the todos',
    async (chunks) => {
      const emulator = await startEmulator();
      const { session } = await compacted(emulator, { fill: { chunks } });
      const pieces = piecesOf(emulator);
      expect(pieces).toHaveLength(chunks);
      expect(emulator.peak).toBe(1);
      expect(pieces.map(({ previous }) => previous)).toEqual(pieces.map((_, i) => i > 0));
      for (const { words } of pieces.slice(1)) expect(words).toContain(GOOD);
      expect(pieces.map(({ todos }) => todos !== undefined)).toEqual(pieces.map((_, i) => i === chunks - 1));
      expect(pieces.at(-1)!.todos).toContain('in_progress');
      for (const { words } of pieces.slice(0, -1)) expect(words).not.toMatch(/in_progress|pending/);
      expect(summariesOf(session)[0]).toContain(GOOD);
    },
  );

  it('no exchange is split between chunks, and no message is in two of them', async () => {
    const emulator = await startEmulator();
    const { log } = await compacted(emulator, { fill: { chunks: 4 } });
    const pieces = piecesOf(emulator).map(({ ids }) => ids);
    const pieceOf = new Map(pieces.flatMap((ids, i) => ids.map((id) => [id, i] as const)));
    expect(pieceOf.size).toBe(pieces.flat().length);
    expect(pieceOf.size).toBeGreaterThan(20);
    for (const { seqs } of log.exchanges) {
      const places = seqs.map((seq) => pieceOf.get(log.at(seq).id)).filter((place) => place !== undefined);
      expect(new Set(places).size).toBeLessThan(2);
    }
  });
});
