import type { CompactionStage } from '../../spi/index.js';

/** A stage as it is judged. */
export interface StageSubject {
  readonly stage: CompactionStage;
  /** Options to try beside the defaults, as an operator would write them. */
  readonly options?: readonly unknown[];
}
