import { POISON, startEmulator, type Act } from '../../emulator/index.js';
import type { Summarizer, SummaryAnswer } from '../../../src/index.js';
import { BUDGET, filling, pressed, summariesOf } from '../summarizer.js';
import {
  engine,
  preparedAt,
  prose,
  read,
  sessionOf,
  shownText,
  step,
  system,
  user,
  writer,
} from '../support.js';

const BAD: readonly (readonly [Act, RegExp])[] = [
  ['empty', /is empty/],
  ['refusal', /is a refusal/],
  ['error-text', /is an error text/],
  ['open-think', /ends in its thinking/],
  ['tool-call', /calls a tool/],
  ['length', /was cut off/],
  ['not-json', /no usable answer|HTTP/],
  ['echo', /repeats its prompt/],
  ['cut', /endpoint|no usable answer|HTTP/],
  ['rate-limit', /HTTP 429/],
  ['server-error', /HTTP 500/],
  ['stream-error', /HTTP 500/],
  ['overloaded', /HTTP 529/],
  ['content-filter', /ended with content-filter/],
];

describe('AC-06: a bad summary never becomes history', () => {
  it.each(BAD)('%s: the deterministic text remains', async (act, reason) => {
    const emulator = await startEmulator(act);
    const session = await filling(emulator);
    const run = await pressed(session, 1);
    expect(run.kind).toBe('committed');
    expect(run.calls).toEqual([expect.objectContaining({ reason: expect.stringMatching(reason) })]);
    expect(run.record!.fallbacks).toEqual([expect.stringMatching(reason)]);
    expect(summariesOf(session)).toEqual([expect.stringMatching(/^\[Digest of earlier messages /)]);
    expect(JSON.stringify([session.operator.history, session.view])).not.toContain(POISON);
  });

  it('thinking is removed, an answer that is too long is cut, and the run reports both', async () => {
    const emulator = await startEmulator();
    emulator.script = ['think', 'oversized'];
    const session = await filling(emulator);
    const mended = [await pressed(session, 1), await pressed(session, 2)].map(({ calls }) => calls![0]);
    expect(mended).toEqual([
      expect.objectContaining({ outcome: 'filled', reason: 'thinking taken out' }),
      expect.objectContaining({ outcome: 'filled', reason: expect.stringMatching(/^cut to \d+ tokens$/) }),
    ]);
    expect(JSON.stringify(session.view)).not.toContain(POISON);
  });

  it.each<[string, Partial<SummaryAnswer>, RegExp]>([
    ['stopped by a filter', { finishReason: 'content-filter' }, /ended with content-filter/],
    ['ended in an error', { finishReason: 'error' }, /ended with error/],
    ['a tool call beside its text', { toolCalls: 1 }, /calls a tool/],
    ['a call written out', { text: '<tool_call>{"name":"read"}</tool_call>' }, /calls a tool/],
    ['reasoning that never closes', { text: '<think>First I' }, /ends in its thinking/],
    ['a refusal in German', { text: 'Es tut mir leid, dabei kann ich nicht helfen.' }, /is a refusal/],
    ['a refusal in Spanish', { text: 'Lo siento, pero no puedo ayudar con eso.' }, /is a refusal/],
    ['a refusal in Chinese', { text: '抱歉，我无法协助完成这个请求。' }, /is a refusal/],
    ['a gateway’s page', { text: '<html><body>502 Bad Gateway</body></html>' }, /is an error text/],
    ['no text at all', { text: undefined as never }, /is no text/],
  ])('an answer from a summarizer of the host is refused too: %s', async (_, answer, reason) => {
    const summarizer: Summarizer = {
      name: 'mine',
      endpoint: 'here',
      summarize: () => Promise.resolve({ text: 'The mill was built.', finishReason: 'stop', ...answer }),
    };
    const spillway = await engine(BUDGET, { roster: ['auto'] }, { summarizer });
    const session = spillway.session();
    session.append(...read([system('Be brief.')]));
    const run = await pressed(session, 1);
    expect(run.record!.fallbacks).toEqual([expect.stringMatching(reason)]);
    expect(summariesOf(session)).toEqual([expect.stringMatching(/^\[Digest of earlier messages /)]);
  });

  it('AC-06: an answer that is no smaller than its source is not used', async () => {
    const { summarizer } = writer(() => prose(240, 99), { name: 'mine' });
    // A line may be longer than such a result.
    const settings = { roster: ['micro'], stages: { micro: { maxTokens: 300 } } };
    const reads = Array.from({ length: 30 }, (_, i) => step('read', { path: `src/m${i}.ts` }, prose(220, i)));
    const session = await sessionOf(BUDGET, [user('Read all.'), ...reads.flat()], settings, { summarizer });
    const { run } = await preparedAt(session, 0.99);
    expect(run.kind).toBe('committed');
    expect(run.calls!.length).toBeGreaterThan(0);
    for (const { reason } of run.calls!) expect(reason).toBe('the answer is no smaller than its source');
    const results = session.view.filter(({ message }) => message.role === 'tool').map(shownText);
    expect(results.filter((text) => text.includes(', condensed; m')).length).toBeGreaterThan(10);
    expect(results.filter((text) => text.includes('by mine'))).toEqual([]);
  });
});
