import fc from 'fast-check';
import { createSpillway, type Message, type Session } from '../../src/index.js';
import { shownText } from '../acceptance/support.js';
import { histories } from '../support/histories.js';

/** What an operator or an agent may look at. */
const LOOKS: readonly ((session: Session) => unknown)[] = [
  ({ operator }) => operator.plan(),
  ({ operator }) => operator.plan({ threshold: 0.01, target: 0.05 }),
  ({ operator }) => operator.plan({ threshold: 0.01, target: 0.5 }),
  ({ operator }) => operator.plan({ threshold: 0.01, strategy: 'prune' }),
  ({ operator }) => operator.explain(),
  (session) => session.recall({ query: 'the plan of the server' }),
  ({ view, reading }) => [view, reading],
];

const later = fc.record({ at: fc.nat(60), look: fc.nat(LOOKS.length - 1) });

/** A note of our own has the time in its id, and a span that ends there in its handle. */
const shown = ({ view }: Session): string =>
  view
    .map(shownText)
    .join('\n')
    .replaceAll(/goes-on:(\d+):\d+/g, 'goes-on:$1');

async function sentOf(
  messages: readonly Message[],
  looks: readonly { readonly at: number; readonly look: number }[],
): Promise<readonly string[]> {
  const spillway = await createSpillway({
    inputBudget: 3_000,
    settings: { counter: 'heuristic', safetyMargin: 0 },
  });
  const session = spillway.session();
  const sent: string[] = [];
  for (const [at, message] of messages.entries()) {
    await session.append(message);
    for (const one of looks) if (one.at === at) await LOOKS[one.look]!(session);
    // What may never leave may be too much: the request is refused then, and nothing is sent.
    if (at % 5 === 4) sent.push(await session.prepare().then(() => shown(session), String));
  }
  return sent;
}

it('looking at a session does not change what it sends', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories(60),
      fc.array(later, { minLength: 1, maxLength: 12 }),
      async (messages, looks) => {
        expect(await sentOf(messages, looks)).toEqual(await sentOf(messages, []));
      },
    ),
    { numRuns: 25 },
  );
});
