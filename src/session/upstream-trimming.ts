import type { Json } from '../spi/index.js';
import { IMAGE_TOKENS, inputOf, LOW_DETAIL_IMAGE_TOKENS, type Reading, type Usage } from '../tokens/index.js';

/** A finding from reported usage. */
export interface UsageNotice {
  readonly kind: 'trimmed-upstream' | 'over-window';
  readonly reported: number;
  readonly expected: number;
  readonly reason: string;
  readonly [fact: string]: Json;
}

/** A sent request. `estimate`: its tokens by our own count, without calibration. */
interface SentEstimate {
  readonly reading: Reading;
  readonly estimate: number;
  /** How many times the view had been rewritten. */
  readonly generation: number;
}

/**
 * A report below this share of the sent tokens is no counting difference: no tokenizer is off by half on a whole
 * request. Small requests are ignored, because their fixed parts weigh too much.
 */
const MIN_REPORTED = 0.5;
const MIN_SENT = 1_000;

/** A report is flat if it grows by less than this share of the growth of the request. */
const MIN_GROWTH = 0.2;
/** Fewest tokens that a request has to grow by before a report can be flat. */
const MIN_GROWN = 100;
/** So many flat reports in a row below the sent size cannot be chance. */
const FLAT_IN_A_ROW = 2;
const MAX_FLAT_SHARE = 0.95;

/** Detects requests that were cut on the way: their reported tokens are far too few, or stop growing. */
export class TrimmingWatch {
  #last: { readonly estimate: number; readonly reported: number; readonly generation: number } | undefined;
  #flat = 0;

  /** `isFlat`: requests grew and reports did not, so this report says nothing about how tokens are counted. */
  observe(
    usage: Usage,
    sent: SentEstimate,
  ): { readonly notices: readonly UsageNotice[]; readonly isFlat: boolean } {
    const reported = inputOf(usage);
    const isFlat = this.#isFlat(reported, sent);
    this.#flat = isFlat ? this.#flat + 1 : 0;
    return { notices: this.#noticesOf(reported, sent), isFlat };
  }

  /** A report is compared with the last one that was not flat: a cut to a number of messages varies in tokens. */
  #isFlat(reported: number, { estimate, generation }: SentEstimate): boolean {
    const last = this.#last;
    const isSame = last?.generation === generation && estimate > last.estimate;
    const grown = isSame ? estimate - last.estimate : 0;
    const isFlat =
      isSame &&
      grown >= MIN_GROWN &&
      reported > 0 &&
      reported - last.reported < MIN_GROWTH * grown &&
      reported < MAX_FLAT_SHARE * estimate;
    if (!isFlat && reported > 0) this.#last = { estimate, reported, generation };
    return isFlat;
  }

  #noticesOf(reported: number, { reading, estimate }: SentEstimate): UsageNotice[] {
    // Image sizes are guesses, and a thumbnail is a tenth of a full image. This is the lower bound.
    const surely = estimate - reading.images * (IMAGE_TOKENS - LOW_DETAIL_IMAGE_TOKENS);
    const expected = Math.round(estimate);
    if (reported > 0 && surely >= MIN_SENT && reported < MIN_REPORTED * surely) {
      const reason = 'the provider counted far less than was sent: something on the way cut the request';
      return [{ kind: 'trimmed-upstream', reported, expected, reason }];
    }
    if (this.#flat >= FLAT_IN_A_ROW && surely >= MIN_SENT) {
      const reason =
        'the provider counts no more although requests grow: something on the way cuts them to a size';
      return [{ kind: 'trimmed-upstream', reported, expected, reason }];
    }
    if (reported > reading.budget.window) {
      const reason =
        'the provider counted more than its window: it has cut the request, or the window is another';
      return [{ kind: 'over-window', reported, expected: reading.budget.window, reason }];
    }
    return [];
  }
}
