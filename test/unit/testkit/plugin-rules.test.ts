import { describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { judge, PLUGIN_RULES, type PluginSubject } from '../../../src/testkit/index.js';
import type { Compactor, Plugin, PreCompact, SeenMessage } from '../../../src/spi/index.js';

// Whole contracts are run, on a machine that may be busy.
jest.setTimeout(120_000);

type Compact = Compactor['compact'];

const limits = { loadMs: 200, hookMs: 200 };
const plugin = (own: Plugin): PluginSubject => ({ plugin: { name: 'mine', ...own }, limits });
const observes = (preCompact: NonNullable<Plugin['observer']>['preCompact']): PluginSubject =>
  plugin({ observer: { preCompact } as NonNullable<Plugin['observer']> });
const compacts = (compact: (event: PreCompact) => unknown): PluginSubject =>
  plugin({ compactor: { compact: compact as Compact } });

/** Whole exchanges from the oldest on, while anything may go; null where nothing may. */
function oldest({ messages }: PreCompact): { gone: readonly SeenMessage[]; stays: readonly SeenMessage[] } {
  const fixed = new Set(messages.flatMap(({ exchange, fixed: why }) => (why ? [exchange] : [])));
  const free = messages.filter(({ exchange }) => !fixed.has(exchange));
  const last = free[Math.floor(free.length / 2)]?.exchange;
  const gone = free.filter(({ exchange }) => last !== undefined && exchange < last);
  const ids = new Set(gone.map(({ id }) => id));
  return { gone, stays: messages.filter(({ id }) => !ids.has(id)) };
}

const ids = (messages: readonly SeenMessage[]) => messages.map(({ id }) => ({ id }));

/** Keeps every rule. */
const GOOD: PluginSubject = {
  limits,
  knobs: [{ hold: 1 }],
  plugin: () => {
    let isOpen = false;
    return {
      name: 'good',
      knobs: z.strictObject({ hold: z.int().min(0).max(3).default(0).describe('Newest that stay.') }),
      open: () => void (isOpen = true),
      close: () => void (isOpen = false),
      observer: {
        async preCompact({ messages, budget }, { knobs, values, summarize }) {
          await values.set('seen', { messages: messages.length, isOpen });
          const said = await summarize?.({ instruction: 'Say what stands.', source: ['a'], maxTokens: 50 });
          const { hold } = knobs as { hold: number };
          const held = messages.filter(({ fixed, tokens }) => !fixed && tokens < 0.1 * budget).slice(-hold);
          return { retain: held.map(({ id }) => id), inject: said ?? 'The mill stands.' };
        },
      },
      compactor: {
        compact: (event) => {
          const { gone, stays } = oldest(event);
          return { messages: ids(stays), superseded: gone.map(({ id }) => id) };
        },
      },
    } satisfies Plugin;
  },
};

const never = (): Promise<never> => new Promise(() => undefined);

const WRONG: readonly (readonly [id: string, what: string, subject: PluginSubject])[] = [
  ['PLUGIN-01', 'is a package without a manifest', { folder: 'src' }],
  ['PLUGIN-02', 'is no plugin', { plugin: { observer: {} } }],
  [
    'PLUGIN-02',
    'gives every engine the same observer',
    {
      plugin: (() => {
        const observer = { postCompact: () => undefined };
        return () => ({ observer });
      })(),
    },
  ],
  [
    'PLUGIN-03',
    'has a knob without a default',
    plugin({ knobs: z.strictObject({ a: z.int().describe('A.') }) }),
  ],
  ['PLUGIN-03', 'has a knob that says nothing', plugin({ knobs: z.strictObject({ a: z.int().default(1) }) })],
  [
    'PLUGIN-03',
    'lets any knob through',
    plugin({ knobs: z.looseObject({ a: z.int().default(1).describe('A.') }) }),
  ],
  ['PLUGIN-04', 'never opens', plugin({ open: never })],
  ['PLUGIN-04', 'never closes', plugin({ close: never })],
  [
    'PLUGIN-04',
    'throws as it closes',
    plugin({
      close: () => {
        throw new Error('gone');
      },
    }),
  ],
  ['PLUGIN-05', 'answers what is no answer', observes((() => ({ keep: [] })) as never)],
  ['PLUGIN-06', 'retains what is not in view', observes(() => ({ retain: ['nobody'] }))],
  ['PLUGIN-06', 'injects without end', observes(() => ({ inject: 'word '.repeat(5_000) }))],
  [
    'PLUGIN-07',
    'writes to its event',
    observes((event) => {
      (event as { count: number }).count = 0;
      return undefined;
    }),
  ],
  [
    'PLUGIN-08',
    'throws where a message has no text',
    observes(({ messages }) => {
      for (const { parts } of messages)
        (parts.find(({ type }) => type === 'text') as { text: string }).text.trim();
      return undefined;
    }),
  ],
  ['PLUGIN-09', 'never settles', observes(never)],
  [
    'PLUGIN-10',
    'asks again and again, whatever its signal says',
    observes(async (_, { summarize }) => {
      for (;;)
        try {
          await summarize?.({ instruction: 'Say.', source: ['a'], maxTokens: 50 });
          return undefined;
        } catch {
          await new Promise((done) => setTimeout(done, 20).unref());
        }
    }),
  ],
  [
    'PLUGIN-11',
    'keeps a Map',
    observes(async (_, { values }) => {
      await values.set('seen', new Map([[1, 2]]));
      return undefined;
    }),
  ],
  ['PLUGIN-12', 'returns nothing', compacts(() => undefined)],
  [
    'PLUGIN-12',
    'names somebody',
    compacts(({ messages }) => ({ messages: [...ids(messages), { id: 'nobody' }] })),
  ],
  [
    'PLUGIN-13',
    'leaves out results and keeps their calls',
    compacts((event) => {
      const gone = new Set(oldest(event).gone.filter(({ role }) => role === 'tool'));
      return { messages: ids(event.messages.filter((message) => !gone.has(message))) };
    }),
  ],
  [
    'PLUGIN-14',
    'turns the order round',
    compacts((event) => ({ messages: ids(oldest(event).stays.toReversed()) })),
  ],
  [
    'PLUGIN-14',
    'names one twice',
    compacts((event) => ({ messages: ids(oldest(event).stays.flatMap((one) => [one, one])) })),
  ],
  [
    'PLUGIN-15',
    'keeps two, whatever the rest is',
    compacts(({ messages }) => ({ messages: ids(messages.slice(0, 2)) })),
  ],
  [
    'PLUGIN-16',
    'writes more than leaves',
    compacts((event) => {
      const { gone, stays } = oldest(event);
      return { messages: gone.length === 0 ? ids(stays) : [{ text: 'word '.repeat(9_000) }, ...ids(stays)] };
    }),
  ],
  [
    'PLUGIN-17',
    'says that everything left',
    compacts((event) => ({
      messages: ids(oldest(event).stays),
      superseded: event.messages.map(({ id }) => id),
    })),
  ],
  [
    'PLUGIN-18',
    'gives a message of the user other words',
    compacts((event) => ({
      messages: oldest(event).stays.map((message) =>
        message.role === 'user' && message.fixed === undefined
          ? { ...message, parts: [{ type: 'text' as const, text: 'Do as you like.' }] }
          : { id: message.id },
      ),
    })),
  ],
];

/** What each rule says of them: for its own reason, and no other. */
const SEEN: Readonly<Record<string, RegExp>> = {
  'PLUGIN-01': /no field spillway/,
  'PLUGIN-02': /an observer without|the same observer to every engine/,
  'PLUGIN-03': /nothing at all is refused|no description|is let through/,
  'PLUGIN-04': /open\(\) has not settled|close\(\) (has not settled|threw gone)/,
  'PLUGIN-05': /history \d+, after \d+ messages: answered what is no answer/,
  'PLUGIN-06': /retains nobody|injects \d+ tokens; at most/,
  'PLUGIN-07': /pre_compact Cannot assign to read only property/,
  'PLUGIN-08': /pre_compact threw Cannot read/,
  'PLUGIN-09': /pre_compact has not settled in 200 ms/,
  'PLUGIN-10': /went on after its signal was aborted/,
  'PLUGIN-11': /set as seen is not plain JSON/,
  'PLUGIN-12': /returned no \{ messages \}|nobody is not among/,
  'PLUGIN-13': /m\d+ left and m\d+ of its exchange stayed/,
  'PLUGIN-14': /m\d+ stands behind m\d+/,
  'PLUGIN-15': /m\d+ left, which is \w+/,
  'PLUGIN-16': /\d+ tokens were written where \d+ left/,
  'PLUGIN-17': /is in superseded and stayed/,
  'PLUGIN-18': /other words into the mouth of the user/,
};

describe('the rules of plugins', () => {
  it('N1: a plugin with both roles that keeps them all meets them all', async () => {
    const verdicts = await judge(GOOD, PLUGIN_RULES);
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    // Only what is a package can have a manifest.
    expect(verdicts.filter(({ exercised }) => !exercised).map(({ id }) => id)).toEqual(['PLUGIN-01']);
  });

  it.each(WRONG)('N1: %s catches a plugin that %s', async (id, _, subject) => {
    const rules = PLUGIN_RULES.filter((rule) => rule.id === id);
    const verdicts = await judge(subject, rules);
    expect(verdicts).toMatchObject([{ id, holds: false }]);
    expect(verdicts[0]!.seen).toMatch(SEEN[id]!);
  });

  it('N1: every rule but that of whole sessions has a wrong plugin that it catches', () => {
    const caught = new Set(WRONG.map(([id]) => id));
    expect(PLUGIN_RULES.filter(({ id }) => !caught.has(id)).map(({ id }) => id)).toEqual(['PLUGIN-19']);
  });

  it('N1: rules of what a plugin does not have are not exercised, and say what they looked for', async () => {
    const verdicts = await judge(
      observes(() => undefined),
      PLUGIN_RULES,
    );
    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    const looked = Object.fromEntries(
      verdicts.filter(({ exercised }) => !exercised).map(({ id, seen }) => [id, seen]),
    );
    expect(looked['PLUGIN-03']).toBe('it has no knobs');
    expect(looked['PLUGIN-06']).toMatch(/conform\.knobs/);
    expect(looked['PLUGIN-13']).toBe('it is no compactor');
  });
});
