import type { WireFormat } from '../../spi/index.js';
import type { WireValidator } from '../validators.js';

/** A wire format as it is judged. */
export interface FormatSubject {
  readonly format: WireFormat;
  /** Judges a whole request body by the provider's rules. Without one, only what needs no provider is checked. */
  readonly validate?: WireValidator;
}
