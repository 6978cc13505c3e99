import type { StageGoal, Edit, ViewExchange } from '../../spi/index.js';

/** The need that remains while candidates are taken one by one. */
export function needOf(goal: StageGoal) {
  let { reclaim, reclaimResults, reclaimBytes, reclaimImages } = goal;
  let saved = 0;
  let savedMedia = false;
  const take = (tokens: number, ofResults: number): void => {
    reclaim -= tokens;
    reclaimResults -= ofResults;
    saved += tokens;
  };
  return {
    get isMet() {
      return reclaim <= 0 && reclaimResults <= 0;
    },
    /** Whether anything is needed: tokens, bytes or images. */
    get isOpen() {
      return reclaim > 0 || reclaimBytes > 0 || reclaimImages > 0;
    },
    /** Whether tool results are above their cap, which overrides their protection. */
    get isCapExceeded() {
      return reclaimResults > 0;
    },
    /** Whether the whole view, not only its tool results, must still shrink. */
    get isViewTooLarge() {
      return reclaim > 0;
    },
    get saved() {
      return saved;
    },
    /** Whether bytes or images were freed: a minimum of tokens is then no objection. */
    get savedMedia() {
      return savedMedia;
    },
    take,
    takeMedia(tokens: number, bytes: number, images: number): void {
      savedMedia ||= reclaimBytes > 0 || reclaimImages > 0;
      take(tokens, 0);
      reclaimBytes -= bytes;
      reclaimImages -= images;
    },
  };
}
export type Need = ReturnType<typeof needOf>;

/** Edits of one class, and the exchanges that they remove from the view: no other edit may name these. */
export interface SnipEdits {
  readonly edits: readonly Edit[];
  readonly removed: ReadonlySet<ViewExchange>;
}

export const NO_EDITS: SnipEdits = { edits: [], removed: new Set() };
