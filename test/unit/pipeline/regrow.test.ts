import { regrowDigests } from '../../../src/pipeline/regrow.js';
import type { DigestRequest, TranscriptView, ViewExchange } from '../../../src/spi/index.js';
import type { Supersede } from '../../../src/transcript/index.js';

/** A digest of the messages `from` to `to` that takes so many tokens. */
function digestExchange(from: number, to: number, tokens: number): ViewExchange {
  const text = `[Digest of earlier messages m${from}..m${to}, in order]\n${'word '.repeat(tokens)}`;
  const message = {
    id: `summary:m${from}..m${to}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'summary',
    parts: [{ type: 'text', text }],
  };
  return {
    kind: 'replacement',
    from,
    to,
    fromId: `m${from}`,
    toId: `m${to}`,
    tokens,
    messages: [{ message, from, to, size: { tokens } }],
  } as unknown as ViewExchange;
}

/** Draws digests that take all they are allowed. */
function viewOf(...exchanges: ViewExchange[]): TranscriptView {
  const digest = ({ maxTokens }: DigestRequest) => ({ text: 'drawn', tokens: maxTokens, shortened: [] });
  return { exchanges, digest } as unknown as TranscriptView;
}

const count = (text: string): number => text.length;
const spansOf = (view: TranscriptView, free: number) =>
  regrowDigests(view, { free, beyondTarget: 0 }, { slotOf: () => undefined, count }).map((edit) => {
    const { fromId, toId, reason } = edit as Supersede;
    return [`${fromId}..${toId}`, reason];
  });

describe('digests that are written again', () => {
  it('grow by their share of the free tokens', () => {
    const view = viewOf(digestExchange(0, 99, 400), digestExchange(100, 199, 400));
    expect(spansOf(view, 600)).toEqual([
      ['m0..m99', 'room for what was squeezed out before'],
      ['m100..m199', 'room for what was squeezed out before'],
    ]);
  });

  it.each([
    ['each has its part', [digestExchange(0, 99, 900), digestExchange(100, 199, 900)]],
    ['one has next to nothing', [digestExchange(0, 199, 2_800), digestExchange(200, 339, 30)]],
    ['there is only one', [digestExchange(0, 399, 200)]],
    ['all are small', [digestExchange(0, 99, 200), digestExchange(100, 199, 100)]],
  ])('stay the same if no tokens are free and %s', (_, exchanges) => {
    expect(spansOf(viewOf(...exchanges), 0)).toEqual([]);
  });

  it('take no more tokens than are free', () => {
    const view = viewOf(digestExchange(0, 199, 2_800), digestExchange(200, 339, 30));
    const drawn: number[] = [];
    const metered = {
      ...view,
      digest: (request: DigestRequest) => (drawn.push(request.maxTokens), view.digest(request)),
    } as TranscriptView;
    spansOf(metered, 600);
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2_830 + 600);
  });
});

/** The same span with a text that a model wrote, in this much room. */
function recordExchange(from: number, to: number, room: number): ViewExchange {
  const { messages, ...exchange } = digestExchange(from, to, room);
  const [shown] = messages;
  const parts = [{ type: 'text', text: 'The mill was built.' }];
  const message = { ...shown!.message, generation: 0, room, parts };
  return { ...exchange, messages: [{ ...shown!, message, made: { stage: 'auto', reason: '' } }] } as never;
}

/** What is offered to each text that grows: by a slot for a model, or as a digest. */
function offered(view: TranscriptView, free: number, maxSummaryTokens = {}) {
  const drawn = new Map<string, number>();
  const digest = (request: DigestRequest) => (
    drawn.set(request.handle, request.maxTokens),
    view.digest(request)
  );
  const parts = { slotOf: () => undefined, count, maxSummaryTokens, sourceTokens: () => 50_000 };
  const edits = regrowDigests({ ...view, digest } as TranscriptView, { free, beyondTarget: 0 }, parts);
  return Object.fromEntries(
    edits.map((edit) => {
      const { fromId, toId, slot } = edit as Supersede;
      return [`${fromId}..${toId}`, slot?.maxTokens ?? drawn.get(`${fromId}..${toId}`)];
    }),
  );
}

describe('texts that a model wrote', () => {
  it('are bought again if their share of the room is at least half as much again', () => {
    expect(offered(viewOf(recordExchange(0, 99, 1_200)), 599)).toEqual({});
    expect(offered(viewOf(recordExchange(0, 99, 1_200)), 600)).toEqual({ 'm0..m99': 1_800 });
    expect(offered(viewOf(recordExchange(0, 99, 2_000)), 900)).toEqual({});
    expect(offered(viewOf(recordExchange(0, 99, 200)), 500)).toEqual({});
  });

  it('share with their neighbours by the number of messages that each replaces', () => {
    const [old, young] = [recordExchange(0, 199, 2_400), [200, 299] as const];
    // Together 3,700 for 300 messages: the old one has its part already.
    expect(offered(viewOf(old, recordExchange(...young, 100)), 1_200)).toEqual({ 'm200..m299': 1_300 });
    expect(offered(viewOf(old, digestExchange(...young, 100)), 1_200)).toEqual({ 'm200..m299': 1_300 });
    expect(offered(viewOf(digestExchange(0, 199, 2_400), recordExchange(...young, 100)), 1_200)).toEqual({
      'm200..m299': 1_233,
    });
    expect(offered(viewOf(recordExchange(0, 199, 400), recordExchange(...young, 200)), 2_400)).toEqual({
      'm0..m199': 2_000,
      'm200..m299': 1_000,
    });
  });

  it('leave room that is too small for a new text to digests', () => {
    const view = viewOf(recordExchange(0, 199, 1_600), digestExchange(200, 299, 800));
    expect(offered(view, 600)).toEqual({ 'm200..m299': 1_400 });
  });

  it('are not asked for above the limit of their stage', () => {
    const view = viewOf(recordExchange(0, 99, 1_200));
    expect(offered(view, 4_000, { auto: 1_700 })).toEqual({});
    expect(offered(view, 4_000, { auto: 2_500 })).toEqual({ 'm0..m99': 2_500 });
  });

  it('stay if no model can be asked', () => {
    expect(spansOf(viewOf(recordExchange(0, 99, 200)), 4_000)).toEqual([]);
  });
});
