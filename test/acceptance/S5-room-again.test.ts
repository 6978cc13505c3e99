import { readSession } from '../../src/faces/importers/index.js';
import { openStore } from '../../src/index.js';
import type { Session, SpillwayOptions, SummaryRequest } from '../../src/index.js';
import { callOf, prose, resultOf, says, step, system, user, type Chat } from '../support/chats.js';
import { engine, read, shownText, talk, writer } from './support.js';

const BUDGET = 16_000;
/** Tokens of a message in addition to those of its text. */
const ENVELOPE = 10;
const RECORDED = 'examples/sessions/pressure-gauge.jsonl';

/** Writes the share of its limit, or the text, that `answer` returns; other words in each call. */
const filler = (answer: (request: SummaryRequest, nth: number) => string | number = () => 0.9) =>
  writer((request, nth) => {
    const made = answer(request, nth);
    return typeof made === 'string' ? made : prose(Math.floor(made * request.maxTokens), nth);
  });

/** A session, and a function that adds messages with new ids: `n0`, `n1`, … */
async function begun(more: Omit<SpillwayOptions, 'settings'>, settings = {}, from = 0) {
  const spillway = await engine(BUDGET, { unseen: { share: 0.6 }, ...settings }, more);
  const session = more.store ? await spillway.open({ id: 'mill' }) : spillway.session({ id: 'mill' });
  let next = from;
  const add = (chat: readonly Chat[]) =>
    session.append(...read(chat).map((message) => ({ ...message, id: `n${next++}` })));
  return { session, add };
}

const page = (i: number, tokens: number): Chat[] => [
  callOf([[`c${i}`, 'read', { path: `src/m${i}.ts` }]]),
  resultOf(`c${i}`, prose(tokens, 5_000 + i)),
];

const summaryIn = (session: Session) => {
  const shown = session.view.find(({ message }) => message.label === 'summary')!;
  return { tokens: shown.size.tokens, text: shownText(shown), message: shown.message };
};

describe('S5: the size at which a text is requested', () => {
  it('is that of the digest without a model', async () => {
    const chat = [
      system('Be brief.'),
      user('Mend the mill.'),
      ...[1, 2, 3].flatMap((i) =>
        step('write_file', { path: `src/wheel${i}.ts`, content: prose(80, i) }, 'ok'),
      ),
      ...talk(12, 640),
    ];
    const plain = await begun({});
    await plain.add(chat);
    await plain.session.prepare();
    const { asked, summarizer } = filler();
    const { session, add } = await begun({ summarizer });
    await add(chat);
    await session.prepare();
    expect(asked[0]!.maxTokens).toBeGreaterThan(0.95 * summaryIn(plain.session).tokens);
  });

  it.each([6_000, 10_000])(
    'is at least the final size of the digest, in each run of a recorded session within %i tokens',
    async (budget) => {
      // A model that gives no text: the digests remain, and show how large they became.
      const { summarizer } = filler(() => '');
      const spillway = await engine(
        budget,
        { thresholds: { circuitBreakerFailures: 1_000 } },
        { summarizer },
      );
      const session = spillway.session({ id: 'recorded' });
      const { parsed } = await readSession(RECORDED);
      let offered = 0;
      for (const message of parsed.messages) {
        await session.append(message);
        if (message.role === 'assistant') continue;
        const { run } = await session.prepare();
        for (const edit of run.record?.plan.edits ?? []) {
          if (edit.kind !== 'supersede' || !edit.slot) continue;
          const standing = session.view.find(({ message }) => message.id === edit.replacement[0]?.id);
          if (!standing) continue;
          offered++;
          expect(edit.slot.maxTokens).toBeGreaterThan(standing.size.tokens - ENVELOPE);
        }
      }
      expect(offered).toBeGreaterThan(2);
    },
  );
});

/** A summary of much talk, written while fresh output filled the request; that output has been sent since. */
async function squeezed(answer?: Parameters<typeof filler>[0], settings = {}, more = {}) {
  const { asked, summarizer } = filler(answer);
  const at = await begun({ summarizer, ...more }, settings);
  await at.add([system('Be brief.'), user('Mend the mill.'), ...talk(30, 120)]);
  await at.session.prepare();
  await at.add(page(0, 8_600));
  await at.session.prepare();
  const before = summaryIn(at.session);
  expect(before.tokens).toBeLessThan(1_600);
  await at.add(page(1, 3_000));
  return { ...at, asked, before };
}

/** Continues with this many more pages, each in a request of its own. */
async function goesOn({ session, add }: Awaited<ReturnType<typeof begun>>, pages: number): Promise<void> {
  for (let i = 10; i < 10 + pages; i++) {
    await add(page(i, 3_000));
    await session.prepare();
  }
}

describe('S5: a text that a model wrote in little room', () => {
  it('is requested again in the next run, from the originals, and grows within the target', async () => {
    const { session, asked, before } = await squeezed();
    const { run, reading } = await session.prepare();
    const { tokens, message } = summaryIn(session);
    expect(tokens).toBeGreaterThan(2 * before.tokens);
    expect(message.generation).toBe(0);
    expect(reading.pressure).toBeLessThanOrEqual(0.6);
    const again = asked.at(-1)!;
    expect(again.maxTokens).toBeGreaterThan(1.5 * asked[0]!.maxTokens);
    expect(again.previous).toBeUndefined();
    expect(again.source.join('\n')).toContain('Question 0: ');
    expect(again.source.join('\n')).not.toContain('Summary of');
    const { plan } = run.record!;
    const [edit] = plan.edits.filter(({ slot }) => slot?.grows);
    expect(edit).toMatchObject({ kind: 'supersede', stage: 'auto', fromId: 'n2' });
    expect(run.record!.calls).toEqual([expect.objectContaining({ outcome: 'filled', prompt: 'auto' })]);
    expect(plan.after.tokens).toBe(session.view.reduce((sum, { size }) => sum + size.tokens, 0));
  });

  it('is requested again only once if there is no more room, however many runs follow', async () => {
    const at = await squeezed();
    await at.session.prepare();
    const { text } = summaryIn(at.session);
    await goesOn(at, 8);
    expect(at.session.operator.history.length).toBeGreaterThan(4);
    expect(at.asked).toHaveLength(2);
    expect(summaryIn(at.session).text).toBe(text);
  });

  it('starts no run by itself', async () => {
    const { session, asked } = await squeezed();
    await session.prepare();
    expect((await session.prepare()).run.kind).not.toBe('committed');
    expect((await session.operator.compact()).kind).toBe('noop');
    expect(asked).toHaveLength(2);
  });

  it.each<[string, (request: SummaryRequest, nth: number) => string | number]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['gives nothing', () => ''],
    ['calls an error a text', () => 'Internal server error'],
  ])(
    'remains if the summarizer %s when asked again, and is requested again in a later run',
    async (_, fault) => {
      let isBroken = true;
      const answer = (request: SummaryRequest, nth: number): string | number =>
        nth > 1 && isBroken ? fault(request, nth) : 0.9;
      const at = await squeezed(answer, { thresholds: { circuitBreakerFailures: 10 } });
      const { run, messages } = await at.session.prepare();
      expect(run.kind).toBe('committed');
      expect(summaryIn(at.session)).toEqual(at.before);
      expect(JSON.stringify(messages)).toContain(JSON.stringify(at.before.text).slice(1, -1));
      // The record names no change there, and nothing was changed.
      expect(run.record!.plan.edits.filter((edit) => 'fromId' in edit && edit.fromId === 'n2')).toEqual([]);
      expect(run.record!.plan.firstChanged).toBeGreaterThan(30);
      expect(run.record!.plan.stages.map(({ stage }) => stage)).not.toContain('regrow');
      expect(run.record!.fallbacks).toEqual([expect.stringMatching(/^auto n2\.\.n\d+: /)]);
      isBroken = false;
      await goesOn(at, 3);
      expect(summaryIn(at.session).tokens).toBeGreaterThan(1.5 * at.before.tokens);
    },
  );

  it('remains if the new text would be shorter, and is not requested again', async () => {
    const at = await squeezed((_, nth) => (nth > 1 ? 'The mill was mended.' : 0.9));
    const { run } = await at.session.prepare();
    expect(run.kind).toBe('committed');
    expect(summaryIn(at.session).text).toBe(at.before.text);
    await goesOn(at, 6);
    expect(at.asked).toHaveLength(2);
  });

  it('remains if the caller cancels', async () => {
    const { session, asked, before } = await squeezed();
    const signal = AbortSignal.abort();
    const { run } = await session.prepare({ signal });
    expect(run.kind).toBe('committed');
    expect(summaryIn(session)).toEqual(before);
    expect(asked).toHaveLength(1);
  });

  it('remains if the model cannot write a longer answer', async () => {
    const { asked, summarizer } = filler();
    const limited = { ...summarizer, outputLimit: 1_600 };
    const at = await squeezed(undefined, {}, { summarizer: limited });
    await at.session.prepare();
    expect(summaryIn(at.session).text).toBe(at.before.text);
    expect(asked).toHaveLength(1);
  });

  it('remains if runs do not wait for text', async () => {
    const store = { store: await openStore('memory:') };
    const at = await squeezed(undefined, {}, store);
    const { asked, summarizer } = filler();
    const { session, add } = await begun({ summarizer, ...store }, { fill: { wait: false } }, 1_000);
    await session.load();
    await goesOn({ ...at, session, add }, 2);
    expect(session.operator.history.length).toBeGreaterThan(1);
    for (const { plan } of session.operator.history.slice(1))
      expect(plan.edits.filter(({ slot }) => slot?.grows)).toEqual([]);
    expect(summaryIn(session)).toEqual(at.before);
    expect(asked).toEqual([]);
  });

  it('is in the plan of an operator at the size that a commit gives it', async () => {
    const { session, asked, before } = await squeezed();
    const { plan } = await session.operator.plan({ target: 0.55 });
    expect(asked).toHaveLength(2);
    // A plan is a value: its preview is what a commit gives.
    const shown = (await session.operator.preview(plan!)).view.find(
      ({ message }) => message.label === 'summary',
    )!;
    expect(shown.size.tokens).toBeGreaterThan(2 * before.tokens);
    expect(summaryIn(session)).toEqual(before);
    await session.operator.commit(plan!);
    expect(summaryIn(session).text).toBe(shownText(shown));
    expect(asked).toHaveLength(2);
  });

  it('does not grow beyond the `maxSummaryTokens` of its stage', async () => {
    const at = await squeezed(undefined, { stages: { auto: { maxSummaryTokens: 1_600 } } });
    await at.session.prepare();
    await goesOn(at, 4);
    expect(at.asked).toHaveLength(1);
    expect(summaryIn(at.session).text).toBe(at.before.text);
  });

  it('is the same after the session is opened again, and is not requested again', async () => {
    const store = { store: await openStore('memory:') };
    const at = await squeezed(undefined, {}, store);
    await at.session.prepare();
    const { text } = summaryIn(at.session);
    const { asked, summarizer } = filler();
    const { session, add } = await begun({ summarizer, ...store }, {}, 1_000);
    await session.load();
    expect(summaryIn(session).text).toBe(text);
    await goesOn({ ...at, session, add }, 4);
    expect(asked).toEqual([]);
    expect(summaryIn(session).text).toBe(text);
  });
});

it('S5: a digest without a model’s text is requested again when it can become much larger', async () => {
  const { asked, summarizer } = filler((_, nth) => (nth === 1 ? '' : 0.9));
  const { session, add } = await begun({ summarizer });
  await add([system('Be brief.'), user('Mend the mill.'), ...talk(30, 120)]);
  await session.prepare();
  await add(page(0, 8_600));
  await session.prepare();
  expect(summaryIn(session).message.generation).toBeUndefined();
  await add(page(1, 3_000));
  const { run, reading } = await session.prepare();
  expect(run.record!.fallbacks).toEqual([]);
  expect(asked).toHaveLength(2);
  expect(asked[1]!.maxTokens).toBeGreaterThan(1.5 * asked[0]!.maxTokens);
  expect(summaryIn(session).message.generation).toBe(0);
  expect(summaryIn(session).tokens).toBeGreaterThan(asked[0]!.maxTokens);
  expect(reading.pressure).toBeLessThanOrEqual(0.6);
});

it('S5: the messages before and after a pin become one text, and the pin remains', async () => {
  const { asked, summarizer } = filler();
  const { session, add } = await begun({ summarizer });
  await add([system('Be brief.'), user('Mend the mill.'), ...talk(30, 120)]);
  const [pin] = read([user('The wheel turns left.')]);
  await session.append({ ...pin!, id: 'pin', pinned: true });
  await add([says('Noted.'), ...talk(10, 150, 3_000)]);
  for (let i = 0; i < 8; i++) {
    await add(talk(6, 180, 4_000 + 100 * i));
    await session.prepare();
  }
  expect(asked.length).toBeGreaterThan(2);
  const summaries = session.view.filter(({ message }) => message.label === 'summary');
  expect(summaries).toHaveLength(1);
  const { seq } = session.log.find('pin')!;
  expect(summaries[0]!.from).toBeLessThan(seq);
  expect(summaries[0]!.to).toBeGreaterThan(seq);
  expect(session.view.filter(({ from, source }) => source && from === seq)).toHaveLength(1);
});
