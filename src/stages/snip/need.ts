import type { StageGoal, Edit, ViewExchange } from '../../spi/index.js';

/** What is still to be reclaimed while candidates are taken one by one. */
export class Need {
  #tokens: number;
  #results: number;
  #bytes: number;
  #images: number;
  #saved = 0;
  #savedBeside = false;

  constructor(goal: StageGoal) {
    this.#tokens = goal.reclaim;
    this.#results = goal.reclaimResults;
    this.#bytes = goal.reclaimBytes;
    this.#images = goal.reclaimImages;
  }

  get isMet(): boolean {
    return this.#tokens <= 0 && this.#results <= 0;
  }

  /** Whether anything at all is wanted: tokens, bytes or images. */
  get isOpen(): boolean {
    return this.viewTooLarge || this.#bytes > 0 || this.#images > 0;
  }

  /** Whether tool results are above their cap, which wins over their protection. */
  get capExceeded(): boolean {
    return this.#results > 0;
  }

  /** Whether the whole view, not just its tool results, must still shrink. */
  get viewTooLarge(): boolean {
    return this.#tokens > 0;
  }

  get saved(): number {
    return this.#saved;
  }

  /** Whether something other than tokens was freed: no minimum of tokens speaks against that. */
  get savedBeside(): boolean {
    return this.#savedBeside;
  }

  take(tokens: number, ofResults: number): void {
    this.#tokens -= tokens;
    this.#results -= ofResults;
    this.#saved += tokens;
  }

  takeMedia(tokens: number, bytes: number, images: number): void {
    this.#savedBeside ||= this.#bytes > 0 || this.#images > 0;
    this.take(tokens, 0);
    this.#bytes -= bytes;
    this.#images -= images;
  }
}

/** Edits of one class, and the exchanges that leave the view by them: no other edit may name those. */
export interface SnipEdits {
  readonly edits: readonly Edit[];
  readonly gone: ReadonlySet<ViewExchange>;
}

export const NOTHING: SnipEdits = { edits: [], gone: new Set() };
