import type { CompactionStage } from '../spi/index.js';
import { auto } from './auto/stage.js';
import { collapse } from './collapse/stage.js';
import { full } from './full/stage.js';
import { micro } from './micro/stage.js';
import { partial } from './partial/stage.js';
import { snip } from './snip/stage.js';

export { auto, collapse, full, micro, partial, snip };

/** The stages that come with Spillway, in the order in which their gates open. */
export const BUILT_IN_STAGES: readonly CompactionStage[] = Object.freeze([
  // Loses nothing that later text refers to.
  snip,
  // Keeps the outcome of each result.
  micro,
  // Loses only existing stubs.
  collapse,
  // From here on prose goes, the oldest first: as little as suffices,
  auto,
  // everything except the current work,
  partial,
  // everything that may go.
  full,
]);
