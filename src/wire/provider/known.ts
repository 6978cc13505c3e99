import type { Provider } from '../../spi/index.js';
import { formats } from '../registry.js';

/** What is known of the providers behind all formats. */
export const PROVIDERS: readonly Provider[] = [...formats.values()].map(({ provider }) => provider ?? {});
