import type { WireMemory } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import type { Dice } from '../histories/index.js';
import { RuleBroken } from '../rule.js';
import { casesOf, edited } from './checks.js';
import type { FormatSubject } from './subject.js';

/**
 * A request written with a memory equals one written without, after any earlier use of the memory: the view grows,
 * shrinks, is compacted, loses a message, or stays the same.
 */
export function checkMemory({ format }: FormatSubject): void {
  for (const { where, view, dice } of casesOf()) {
    const memory: WireMemory = {};
    let shown: readonly ViewMessage[] = [];
    for (let turn = 0; turn < 12; turn++) {
      shown = nextView(shown, view, dice);
      const is = JSON.stringify(format.serialise(shown, memory));
      const was = JSON.stringify(format.serialise(shown));
      if (is === was) continue;
      const at = [...was].findIndex((sign, index) => sign !== is[index]);
      const [found, wanted] = [is, was].map((text) => text.slice(Math.max(0, at - 60), at + 60));
      throw new RuleBroken(`${where}, turn ${turn}: with a memory …${found}…, and without one …${wanted}…`);
    }
  }
}

function nextView(
  shown: readonly ViewMessage[],
  whole: readonly ViewMessage[],
  dice: Dice,
): readonly ViewMessage[] {
  const at = dice.whole(0, Math.max(0, shown.length - 1));
  switch (dice.whole(0, 8)) {
    case 0:
      return shown.slice(0, at + 1);
    case 1:
      return shown.filter((_, index) => index !== at);
    case 2:
      return edited(shown, dice);
    case 3:
      return shown;
    default: {
      const next = (shown.at(-1)?.to ?? -1) + 1;
      return [...shown, ...whole.slice(next, next + 1 + dice.whole(0, 3))];
    }
  }
}
