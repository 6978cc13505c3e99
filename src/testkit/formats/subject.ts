import type { WireFormat } from '../../spi/index.js';
import type { WireValidator } from '../validators.js';

/** A wire format to be judged. */
export interface FormatSubject {
  readonly format: WireFormat;
  /** Judges a whole request body by the provider's rules. Without it, only rules that need no provider are checked. */
  readonly validate?: WireValidator;
  /** Request bodies or lists of the provider's own clients, with signed thinking in them. */
  readonly samples?: readonly unknown[];
}
