import type { Plan, Session } from '../../../src/index.js';
import { engine, prose, sessionOf, step, system, talk, user, preparedAt } from '../support.js';

const holdsItself: Record<string, unknown> = {};
holdsItself.inner = holdsItself;

/** What arrives when a program has a bug, or when a model fills in arguments. */
const ODD: readonly unknown[] = [null, 5, -1, NaN, 'x', '', [], {}, { foo: 1 }, true, 10n, holdsItself];

const CHAT = [system('Be brief.'), user('Build a mill.'), ...talk(2, 100)];
const WORK = [...CHAT, ...step('Bash', { command: 'ls' }, prose(900)), ...talk(12, 100), user('And now?')];

const planned = async (session: Session): Promise<Plan> =>
  (await session.operator.plan({ target: 0.3 })).plan!;

async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
  return 'taken';
}

type Operator = Record<string, (...given: unknown[]) => Promise<unknown>>;
const operatorOf = (session: Session): Operator => session.operator as unknown as Operator;

describe('methods of an operator that are called with wrong arguments', () => {
  it.each(['preview', 'edit', 'propose', 'commit'])('%s refuses anything but a plan', async (method) => {
    const session = await sessionOf(4_000, WORK);
    for (const odd of [undefined, ...ODD, { hash: 'x', base: 'y', edits: [1], trigger: {} }]) {
      expect([odd, await codeOf(() => operatorOf(session)[method]!(odd))]).toEqual([odd, 'ARGUMENT_INVALID']);
    }
    expect([session.operator.pending, session.operator.history]).toEqual([undefined, []]);
  });

  it.each(['compact', 'plan', 'undo', 'queue', 'transcript'])(
    '%s refuses anything but options',
    async (method) => {
      const session = await sessionOf(4_000, WORK);
      const length = session.log.length;
      for (const odd of ODD.filter((one) => !isEmptyObject(one))) {
        expect([odd, await codeOf(() => operatorOf(session)[method]!(odd))]).toEqual([
          odd,
          'ARGUMENT_INVALID',
        ]);
      }
      expect([session.log.length, session.operator.history]).toEqual([length, []]);
    },
  );

  it.each<[string, unknown[], string]>([
    ['compact', [{ target: '0.5' }], 'CONFIG_INVALID'],
    ['compact', [{ target: null }], 'CONFIG_INVALID'],
    ['compact', [{ target: [0.5] }], 'CONFIG_INVALID'],
    ['compact', [{ threshold: NaN }], 'CONFIG_INVALID'],
    ['compact', [{ strategy: 5 }], 'CONFIG_INVALID'],
    ['compact', [{ signal: 5 }], 'ARGUMENT_INVALID'],
    ['plan', [{ summarize: 'no' }], 'ARGUMENT_INVALID'],
    ['queue', [{ auto: 'yes' }], 'ARGUMENT_INVALID'],
    ['undo', [{ record: 5 }], 'ARGUMENT_INVALID'],
    ['transcript', [{ includeSuperseded: 'true' }], 'ARGUMENT_INVALID'],
    ['rewind', ['x'], 'ARGUMENT_INVALID'],
    ['rewind', [-1], 'ARGUMENT_INVALID'],
    ['rewind', [1.5], 'ARGUMENT_INVALID'],
    ['rewind', [], 'ARGUMENT_INVALID'],
    ['rollback', [5], 'MESSAGE_UNKNOWN'],
    ['rollback', [], 'MESSAGE_UNKNOWN'],
    ['approve', [5], 'PLAN_UNKNOWN'],
    ['reject', [undefined, 5], 'ARGUMENT_INVALID'],
    ['flag', [5, 'good'], 'RECORD_UNKNOWN'],
    ['flag', ['x', 'good', {}], 'ARGUMENT_INVALID'],
    ['explainCall', ['x'], 'ARGUMENT_INVALID'],
    ['explainCall', [0], 'CALL_UNKNOWN'],
    ['find', [], 'ARGUMENT_INVALID'],
    ['find', ['mill', 'x'], 'ARGUMENT_INVALID'],
  ])('%s(%j) is refused with %s', async (method, given, code) => {
    for (const store of [undefined, 'sqlite::memory:']) {
      const spillway = await engine(4_000, store === undefined ? {} : { store });
      const session = store === undefined ? spillway.session() : await spillway.open({ id: 'odd' });
      await session.follow(WORK);
      const { length } = session.log;
      expect(await codeOf(() => operatorOf(session)[method]!(...given))).toBe(code);
      expect([session.log.length, session.operator.history]).toEqual([length, []]);
    }
  });

  it('edit refuses changes at places that the plan does not have', async () => {
    const session = await sessionOf(4_000, WORK);
    const plan = await planned(session);
    const edit = (changes: unknown) => codeOf(() => operatorOf(session).edit!(plan, changes));
    expect(await edit({ without: [] })).toBe('taken');
    expect(await edit({ without: [0] })).toBe('EDIT_ILLEGAL'); // it is the only one
    for (const odd of [
      null,
      5,
      { without: [plan.edits.length] },
      { without: ['0'] },
      { text: { [plan.edits.length]: 'Words.' } },
      { text: { 0: 5 } },
      { text: { x: 'Words.' } },
      { keep: 'm1' },
      { drop: [0] },
    ])
      expect([odd, await edit(odd)]).toEqual([odd, 'ARGUMENT_INVALID']);
  });

  it('propose does not leave a plan waiting that cannot be committed', async () => {
    const session = await sessionOf(4_000, WORK);
    const plan = await planned(session);
    const altered = { ...plan, edits: plan.edits.map((edit) => ({ ...edit, reason: 'by hand' })) };
    expect(await codeOf(() => session.operator.propose(altered))).toBe('PLAN_ALTERED');
    await session.operator.compact({ target: 0.4 });
    expect(await codeOf(() => session.operator.propose(plan))).toBe('LEDGER_CONFLICT');
    expect(session.operator.pending).toBeUndefined();
    await preparedAt(session, 0.5); // nothing blocks it
  });
});

it.each([null, 5, 'x', [], { most: -1 }, { most: 'x' }, { foo: 1 }])(
  'a map of sessions refuses options that it does not have: %j',
  async (odd) => {
    const spillway = await engine(4_000);
    expect(await codeOf(() => spillway.sessionMap(odd as never))).toBe('ARGUMENT_INVALID');
  },
);

it.each([null, 5, 'x', [], { commands: 'yes' }, { foo: 1 }])(
  'follow refuses options that it does not have: %j',
  async (odd) => {
    const session = (await engine(4_000)).session();
    expect(await codeOf(() => session.follow(CHAT, odd as never))).toBe('ARGUMENT_INVALID');
    expect(session.log.length).toBe(0);
  },
);

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.keys(value).length;
}
