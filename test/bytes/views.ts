import { Log, renderAll, type Message, type Part, type ViewMessage } from '../../src/transcript/index.js';
import { Dice } from '../../src/testkit/index.js';
import { measure } from '../support/bench.js';
import { planned, replace, supersede } from '../support/edits.js';

type Edit = ReturnType<typeof planned>;

/**
 * The views of a history: unchanged, and after edits at seeded places. The edits are made here and not by a stage, so
 * that texts of compactions can change while the output of formats does not.
 */
export function viewsOf(messages: readonly Message[], seed: number): (readonly ViewMessage[])[] {
  const log = new Log();
  for (const message of messages) log.append(message, measure(message));
  const edited = [1, 2].map((round) => editsOf(messages, new Dice(seed * 1_000 + round)));
  return [[], ...edited].map((edits) => renderAll(log, edits, () => false).view);
}

function editsOf(messages: readonly Message[], dice: Dice): Edit[] {
  const spans = spansOf(messages, dice);
  const isFree = (at: number): boolean => spans.every(([from, to]) => at < from || at > to);
  const replaced = messages.flatMap(({ id, role, parts }, at) =>
    role === 'system' || !isFree(at)
      ? []
      : parts.flatMap((part, index) =>
          dice.hits(0.2) ? [planned(replace(id, index, ...insteadOf(part, dice)))] : [],
        ),
  );
  const superseded = spans.map(([from, to]) =>
    planned(supersede(messages[from]!.id, messages[to]!.id, ...summaryOf(from, to, dice))),
  );
  return [...replaced, ...superseded];
}

/** Up to three separate spans. Each starts at, and ends before, a message that is neither a result nor a system one. */
function spansOf(messages: readonly Message[], dice: Dice): (readonly [from: number, to: number])[] {
  const starts = messages.flatMap(({ role }, at) => (role === 'tool' || role === 'system' ? [] : [at]));
  const spans: (readonly [number, number])[] = [];
  for (let at = 0; at + 1 < starts.length && spans.length < 3; at += dice.whole(1, 6)) {
    if (!dice.hits(0.4)) continue;
    const last = Math.min(starts.length - 1, at + dice.whole(1, 5));
    spans.push([starts[at]!, starts[last]! - 1]);
    at = last;
  }
  return spans;
}

/** One assistant message; sometimes also one of a program, or no message at all. */
function summaryOf(from: number, to: number, dice: Dice): Message[] {
  const parts: Part[] = [{ type: 'text', text: `What happened from ${from} to ${to}, in short.` }];
  const summary: Message = {
    id: `s${from}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'summary',
    parts,
  };
  const roll = dice.next();
  if (roll < 0.15) return [];
  if (roll < 0.7) return [summary];
  return [
    summary,
    { id: `n${from}`, role: 'user', origin: 'synthetic', parts: [{ type: 'text', text: '[a note]' }] },
  ];
}

/** Replacements of a part as stages make them: less of the same kind, words, or nothing. */
function insteadOf(part: Part, dice: Dice): Part[] {
  const words: Part = { type: 'text', text: '[left out]' };
  switch (part.type) {
    case 'tool-result': {
      const content = dice.pick([
        [{ type: 'text' as const, text: '[cut]' }],
        part.content.slice(0, 1),
        part.content.filter(({ type }) => type === 'text'),
        [],
      ]);
      return [{ ...part, content }];
    }
    case 'tool-call':
      return [
        { ...part, arguments: dice.pick(['{}', '{"input":"…"}', '{"path":"src/a.ts","more":[1,"…"]}']) },
      ];
    case 'reasoning':
    case 'opaque':
    case 'marker':
      return [];
    default:
      return dice.hits(0.5) ? [words] : [];
  }
}
