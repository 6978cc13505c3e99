import type { Json } from '../spi/index.js';
import { IMAGE_TOKENS, inputOf, LOW_DETAIL_IMAGE_TOKENS, type Reading, type Usage } from '../tokens/index.js';

/** Something that reported usage gave away. */
export interface UsageNotice {
  readonly what: 'trimmed-upstream' | 'over-window';
  readonly reported: number;
  readonly expected: number;
  readonly reason: string;
  readonly [fact: string]: Json;
}

/** A request as it was sent. `estimate`: its tokens by our own count, whatever reports have taught since. */
interface SentEstimate {
  readonly reading: Reading;
  readonly estimate: number;
  /** How often the view had been rewritten. */
  readonly generation: number;
}

/**
 * Below this share of what was sent a report is no matter of counting: no tokenizer is off by half on a whole request.
 * Small requests are left out, whose fixed parts weigh too much.
 */
const MIN_REPORTED = 0.5;
const MIN_SENT = 1_000;

/** A report that grows by less than this share of what the request grew by is flat. */
const MIN_GROWTH = 0.2;
/** Requests have to grow by so many tokens before a report can be called flat. */
const MIN_GROWN = 100;
/** So many flat reports in a row, which say less than was sent, are no chance. */
const FLAT_IN_A_ROW = 2;
const SAYS_LESS = 0.95;

/** Watches reported usage for requests that were cut on the way: by far too few tokens, or by tokens that stop growing. */
export class TrimmingWatch {
  #last: { readonly estimate: number; readonly reported: number; readonly generation: number } | undefined;
  #flat = 0;

  /** `isFlat`: requests grew and reports did not, so that this one says nothing about how tokens are counted. */
  hear(
    usage: Usage,
    sent: SentEstimate,
  ): { readonly notices: readonly UsageNotice[]; readonly isFlat: boolean } {
    const reported = inputOf(usage);
    const isFlat = this.#isFlat(reported, sent);
    this.#flat = isFlat ? this.#flat + 1 : 0;
    return { notices: this.#noticesOf(reported, sent), isFlat };
  }

  /** A flat report is held against the last that was not: a cut to so many messages moves up and down a little. */
  #isFlat(reported: number, { estimate, generation }: SentEstimate): boolean {
    const last = this.#last;
    const isSame = last?.generation === generation && estimate > last.estimate;
    const grown = isSame ? estimate - last.estimate : 0;
    const isFlat =
      isSame &&
      grown >= MIN_GROWN &&
      reported > 0 &&
      reported - last.reported < MIN_GROWTH * grown &&
      reported < SAYS_LESS * estimate;
    if (!isFlat && reported > 0) this.#last = { estimate, reported, generation };
    return isFlat;
  }

  #noticesOf(reported: number, { reading, estimate }: SentEstimate): UsageNotice[] {
    // Pictures are guesses, and a thumbnail is a tenth of one.
    const surely = estimate - reading.images * (IMAGE_TOKENS - LOW_DETAIL_IMAGE_TOKENS);
    const expected = Math.round(estimate);
    if (reported > 0 && surely >= MIN_SENT && reported < MIN_REPORTED * surely) {
      const reason = 'the provider counted far less than was sent: something on the way cut the request';
      return [{ what: 'trimmed-upstream', reported, expected, reason }];
    }
    if (this.#flat >= FLAT_IN_A_ROW && surely >= MIN_SENT) {
      const reason =
        'the provider counts no more although requests grow: something on the way cuts them to a size';
      return [{ what: 'trimmed-upstream', reported, expected, reason }];
    }
    if (reported > reading.budget.window) {
      const reason =
        'the provider counted more than its window: it has cut the request, or the window is another';
      return [{ what: 'over-window', reported, expected: reading.budget.window, reason }];
    }
    return [];
  }
}
