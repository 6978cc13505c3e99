import type { RequestWriter, Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { createRewriter } from '../steps/index.js';
import { writeStep } from './step.js';

export function serialise(view: readonly ViewMessage[]): Serialised {
  return createWriter().write(view, 0);
}

export function createWriter(): RequestWriter {
  return createRewriter(writeStep);
}
