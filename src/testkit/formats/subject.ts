import type { WireFormat } from '../../spi/index.js';
import type { WireValidator } from '../validators.js';

/** A wire format as it is judged. */
export interface FormatSubject {
  readonly format: WireFormat;
  /** Judges a whole request body by the provider's rules. Without one, only what needs no provider is checked. */
  readonly validate?: WireValidator;
  /** Request bodies, or lists, as the provider's own clients send them, with signed thinking in them. */
  readonly samples?: readonly unknown[];
}
