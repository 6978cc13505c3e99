import { injectable } from 'inversify';
import type { TokenCounter } from 'spillway/spi';

/** Counts as Acme's gateway bills: one token for every three bytes or part of them, for any model. */
@injectable()
export class GatewayCounter implements TokenCounter {
  readonly name = 'acme-gateway';
  readonly exact = false;

  count(text: string): number {
    return Math.ceil(Buffer.byteLength(text, 'utf8') / 3);
  }
}
