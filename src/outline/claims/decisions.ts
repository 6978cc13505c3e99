import type { LogMessage } from '../../transcript/index.js';
import { bearingOf, overrules, sentencesOf, type Bearing } from '../said/index.js';
import { oneLine } from '../slices.js';
import type { Claim } from './claim.js';

/** Words by which an agent says that it chose. */
const CHOOSES =
  /\b(?:decid(?:e|ed|ing)|decision|chose|choose|choosing|opt(?:ed|ing)? (?:for|to)|going with|go with|we(?:['’]ll| will) use|i(?:['’]ll| will) use|instead of|rather than|root cause|turns out|the (?:fix|cause|reason|problem) (?:is|was)|entschieden|statt|décidé|au lieu de|decidí|decidido|en lugar de|вместо|решил)\b|决定|改用|而不是|选择|代わりに|決め|ことにし/iu;
/** Words by which it says why. */
const GIVES_REASON =
  /\b(?:because|since|so that|to avoid|as it|as they|due to|therefore|otherwise|which (?:means|would|breaks|keeps)|in order to|that way|weil|damit|da (?:es|sie|er)|parce que|car|afin de|pour éviter|porque|para que|para evitar|потому|чтобы)\b|root cause|turns out|因为|以便|避免|ため|ので|から/iu;

/** A longer sentence explains, and its choice is somewhere in it. In characters. */
const LONGEST_CHARS = 260;
const MOST = 60;

/** What an agent chose and why, in its own words; a choice that a newer one takes the place of holds no longer. */
export class DecisionBook {
  #claims: (Claim & { readonly bearing: Bearing })[] = [];

  /** What the agent said itself. */
  hear({ seq, id }: LogMessage, prose: string): void {
    if (!CHOOSES.test(prose)) return;
    for (const sentence of sentencesOf(prose)) {
      if (sentence.length > LONGEST_CHARS || sentence.endsWith('?')) continue;
      if (!CHOOSES.test(sentence) || !GIVES_REASON.test(sentence)) continue;
      const text = oneLine(sentence.replace(/^(?:[-*+•]|\d+[.)])\s+/, ''), LONGEST_CHARS);
      const bearing = bearingOf(text);
      this.#claims = this.#claims.map((older) =>
        older.status === 'live' &&
        (older.text === text || (bearing.replaces && overrules(bearing, older.bearing)))
          ? { ...older, status: 'superseded', endedBy: text }
          : older,
      );
      this.#claims.push({ kind: 'decision', status: 'live', text, seq, id, bearing });
    }
    if (this.#claims.length > MOST) this.#claims = this.#claims.slice(-MOST);
  }

  /** Oldest first. */
  get claims(): readonly Claim[] {
    return this.#claims;
  }
}
