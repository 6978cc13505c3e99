import { describe, expect, it } from '@jest/globals';
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
  regrowDigests(view, { free, forSqueezed: 0 }, { slotOf: () => undefined, count }).map((edit) => {
    const { fromId, toId, reason } = edit as Supersede;
    return [`${fromId}..${toId}`, reason];
  });

describe('digests that are drawn anew', () => {
  it('grow by their part of what is free', () => {
    const view = viewOf(digestExchange(0, 99, 400), digestExchange(100, 199, 400));
    expect(spansOf(view, 600)).toEqual([
      ['m0..m99', 'room for what was squeezed out before'],
      ['m100..m199', 'room for what was squeezed out before'],
    ]);
  });

  it('give to one that was squeezed where nothing is free, so that none stands for much with nothing to say', () => {
    const view = viewOf(digestExchange(0, 199, 2_800), digestExchange(200, 339, 30));
    expect(spansOf(view, 0)).toEqual([
      ['m0..m199', 'room for another digest'],
      ['m200..m339', 'room for what was squeezed out before'],
    ]);
  });

  it.each([
    ['each has its part', [digestExchange(0, 99, 900), digestExchange(100, 199, 900)]],
    ['the squeezed one stands for little', [digestExchange(0, 399, 2_800), digestExchange(400, 403, 30)]],
    ['there is only one', [digestExchange(0, 399, 200)]],
    ['all are small', [digestExchange(0, 99, 200), digestExchange(100, 199, 100)]],
  ])('stay as they are where nothing is free and %s', (_, exchanges) => {
    expect(spansOf(viewOf(...exchanges), 0)).toEqual([]);
  });

  it('take no more than is given', () => {
    const view = viewOf(digestExchange(0, 199, 2_800), digestExchange(200, 339, 30));
    const drawn: number[] = [];
    const metered = {
      ...view,
      digest: (request: DigestRequest) => (drawn.push(request.maxTokens), view.digest(request)),
    } as TranscriptView;
    spansOf(metered, 0);
    expect(drawn.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2_830);
  });
});
