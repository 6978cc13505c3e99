import type { WireFault } from '../../../src/testkit/index.js';

/** One thing that is broken in what was legal, and the rule that catches it. */
export type Mutant<Rule extends string, Item, Body> = readonly [
  name: string,
  rule: Rule,
  mutate: (list: Item[], body: Body) => unknown,
];

interface Judged<Rule extends string, Item, Body> {
  readonly validate: (
    request: unknown,
    options?: { readonly openEnd?: boolean },
  ) => readonly WireFault<Rule>[];
  /** Everything that is legal, once; mutants break one thing each. */
  readonly legal: () => Body;
  readonly listIn: (body: Body) => Item[];
  readonly mutants: readonly Mutant<Rule, Item, Body>[];
  /** Ends in calls that wait, where a provider takes that of a session in progress; and what breaks then. */
  readonly waiting?: readonly [list: readonly unknown[], rules: readonly Rule[]];
}

const rulesOf = <Rule extends string>(faults: readonly WireFault<Rule>[]): Rule[] =>
  faults.map(({ rule }) => rule);

/** Tests that every validator of requests must pass. */
export function judgesOf<Rule extends string, Item, Body>(
  what: string,
  { validate, legal, listIn, mutants, waiting }: Judged<Rule, Item, Body>,
): void {
  describe(`the validator of ${what}`, () => {
    it('finds no fault in a legal request with every feature, as a body and as a list', () => {
      expect(validate(legal(), { openEnd: false })).toEqual([]);
      expect(validate(listIn(legal()))).toEqual([]);
    });

    it.each([...mutants])('kills the mutant: %s', (_, rule, mutate) => {
      const body = legal();
      mutate(listIn(body), body);
      expect(rulesOf(validate(body))).toContain(rule);
    });

    it('has a different name for each mutant', () => {
      expect(new Set(mutants.map(([name]) => name)).size).toBe(mutants.length);
    });

    it('finds a fault in values that are no request, and does not throw', () => {
      for (const odd of [undefined, null, 7, {}, { messages: 3 }, [null], [null, 3, 'x', {}, []]])
        expect(validate(odd).length).toBeGreaterThan(0);
    });

    if (waiting)
      it('allows waiting calls at the end, but not with openEnd: false', () => {
        expect(validate(waiting[0])).toEqual([]);
        expect(rulesOf(validate(waiting[0], { openEnd: false }))).toEqual(waiting[1]);
      });
  });
}
