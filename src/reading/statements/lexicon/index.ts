import { DE } from './de.js';
import { JA, KO, ZH } from './east.js';
import { EN } from './en.js';
import { ES } from './es.js';
import { FR } from './fr.js';
import type { BoundWords } from './row.js';
import { RU } from './ru.js';
import { AR, HI, OTHERS } from './south.js';

export const BOUND_WORDS: readonly BoundWords[] = [...EN, DE, FR, ES, RU, ZH, JA, KO, HI, AR, ...OTHERS];
