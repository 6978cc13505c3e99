import { injectable } from 'inversify';
import type { TokenCounter } from 'spillway/spi';

/** Counts as Acme's gateway bills: a token for each three bytes begun, whatever the model behind it. */
@injectable()
export class GatewayCounter implements TokenCounter {
  readonly name = 'acme-gateway';
  readonly exact = false;

  count(text: string): number {
    return Math.ceil(Buffer.byteLength(text, 'utf8') / 3);
  }
}
