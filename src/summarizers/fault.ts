import { SummarizerError } from '../spi/index.js';
import type { ModelCall } from '../transcript/index.js';
import { BreakerOpen } from './breaker.js';

/** The gate did not let an answer through. */
export class Refused extends Error {}

/** It said what it should, in another language than it should. */
export class InOtherLanguage extends Refused {}

/** Why a run's signal aborts. */
export class Late extends Error {}
export class Cancelled extends Error {}

export interface Failure {
  readonly outcome: Exclude<ModelCall['outcome'], 'filled'>;
  /** Our own words: what an endpoint says of itself never reaches a record or a transcript. */
  readonly reason: string;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return { outcome: 'refused', reason: `the answer ${error.message}` };
  if (error instanceof Late) return { outcome: 'late', reason: 'the deadline passed' };
  if (error instanceof Cancelled) return { outcome: 'cancelled', reason: 'cancelled by the caller' };
  if (error instanceof BreakerOpen) return { outcome: 'failed', reason: 'the breaker is open' };
  if (error instanceof SummarizerError) return { outcome: 'failed', reason: error.message };
  return { outcome: 'failed', reason: 'the summarizer threw' };
}

/** Whether a failure is the endpoint's. One that was given less than half the deadline had no fair chance. */
export function countsForBreaker(error: unknown, ranMs: number, deadlineMs: number): boolean {
  if (error instanceof Cancelled) return false;
  if (error instanceof Late) return ranMs >= deadlineMs / 2;
  return !(error instanceof SummarizerError) || error.fault === 'endpoint';
}

export function isFault(error: unknown, fault: SummarizerError['fault']): boolean {
  return error instanceof SummarizerError && error.fault === fault;
}
