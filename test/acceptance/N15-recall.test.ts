import { describe, expect, it } from '@jest/globals';
import { createSpillway } from '../../src/index.js';
import { startEmulator } from '../emulator/index.js';
import { aiSdk, claude } from './recall-clients.js';
import { callId, legal, offersRecall, recalls, says, talked, usage, WIRED } from './recall-talk.js';
import { place } from './sessions/stores.js';
import { engine, prose } from './support.js';

describe.each(WIRED)('N15: recall offered and answered by the drop-in: $name', ({ format, open }) => {
  it('N15: the model reads back what had left, the client sees one answer, and the log has it all', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const { store, again } = await place('sqlite');
    const session = await (await engine(2_500, {}, { store, format })).open({ id: 'mill' });
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask, history } = open(emulator, session, true);
    await talked(ask, session);
    expect(emulator.received.at(-1)!.text).toContain('"recall"');
    const before = emulator.received.length;
    const spent = session.operator.costs.primary.calls;
    expect(emulator.received.at(-1)!.text).not.toContain('number 4711');
    emulator.script = [recalls({ query: 'key oak box' }), says('In the oak box.')];
    const answer = await ask('Where is the key?');
    expect(answer).toMatchObject({ text: 'In the oak box.', tools: [], finish: 'stop', input: 220 });
    expect(emulator.received.length - before).toBe(2);
    expect(emulator.received.at(-1)!.text).toContain('number 4711');
    expect(JSON.stringify(history)).not.toContain('recall');
    expect(session.operator.costs.primary.calls - spent).toBe(2);
    const own = Array.from({ length: session.log.length }, (_, seq) => session.log.at(seq)).filter(
      ({ unknownToClient }) => unknownToClient,
    );
    expect(own.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    // The client's history still matches: here, and in a process that opens the session again.
    await ask('Thanks. Go on.');
    const later = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    const next = open(emulator, later, true, history);
    later.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    for (let turn = 0; turn < 6; turn++) await next.ask(`Then ${turn}: ${prose(300, 50 + turn)}`);
    const last = await (await engine(2_500, {}, { store: await again(), format })).open({ id: 'mill' });
    last.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    await open(emulator, last, true, history).ask('And the roof?');
    expect(rewound).toEqual([]);
    expect((await last.load()).log.length).toBe(history.length - 1 + 2);
    legal(emulator);
  });

  it('N15: a recall beside a call of the client’s own: the client runs its own and never sees the other', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask } = open(emulator, session, true);
    await talked(ask, session);
    const look = { id: callId(), name: 'look', arguments: { at: 'the box' } };
    emulator.script = [recalls({ query: 'key oak box' }, { toolCalls: [look] }), says('Found.')];
    const found = await ask('Find the key.');
    expect(found.tools).toEqual(['look']);
    // An agent of LangChain runs its own tool within the call.
    const last = format === 'langchain' ? found : await ask('And?');
    expect(last).toMatchObject({ text: 'Found.', tools: format === 'langchain' ? ['look'] : [] });
    const sent = emulator.received.at(-1)!.text;
    expect([sent.includes('number 4711'), sent.includes('Seen.')]).toEqual([true, true]);
    expect(rewound).toEqual([]);
    legal(emulator);
  });

  it('N15: an agent that recalls in a loop is told, and stopped', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    const { ask } = open(emulator, session, 2);
    await talked(ask, session);
    const before = emulator.received.length;
    emulator.otherwise = ({ body }) =>
      offersRecall(body) ? recalls({ query: 'key oak box' }) : says('I give up.');
    expect(await ask('Where is the key?')).toMatchObject({ text: 'I give up.', tools: [], finish: 'stop' });
    expect(emulator.received.length - before).toBe(3);
    expect(emulator.received.at(-1)!.text).toContain('This was the last recall');
    // A model that recalls what it was not offered is stopped as well.
    emulator.otherwise = () => recalls({ query: 'key oak box' });
    expect(await ask('And now?')).toMatchObject({ tools: [], finish: 'stop' });
    expect(emulator.received.length - before).toBe(6);
    emulator.otherwise = says('Built.');
    expect(await ask('Go on.')).toMatchObject({ text: 'Built.' });
    legal(emulator);
  });

  it('N15: is not offered unless it is asked for', async () => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    await open(emulator, session, false).ask('Build a mill.');
    expect(emulator.received.at(-1)!.text).not.toContain('"recall"');
  });
});

describe('N15: the answer of a model that speaks before it recalls', () => {
  it.each(WIRED)('N15: goes on in one answer: $name', async ({ format, open }) => {
    const emulator = await startEmulator();
    emulator.otherwise = says('Built.');
    const session = (await engine(2_500, {}, { format })).session();
    const rewound: unknown[] = [];
    session.events.subscribe((event) => event.kind === 'rewound' && rewound.push(event));
    const { ask } = open(emulator, session, true);
    await talked(ask, session);
    emulator.script = [
      recalls({ query: 'key' }, { text: 'Let me look. ', reasoning: 'Hm, the key.' }),
      recalls({ query: 'oak box' }, { reasoning: 'Not yet.' }),
      { text: 'In the oak box.', reasoning: 'There.', usage },
    ];
    expect(await ask('Where is the key?')).toMatchObject({
      text: 'Let me look. In the oak box.',
      tools: [],
    });
    await ask('Thanks.');
    expect(rewound).toEqual([]);
    legal(emulator);
  });
});

it.each([claude(false), aiSdk('chat', false)])(
  'N15: what goes on after a recall leaves the model as much room to answer: $name',
  async ({ format, open }) => {
    const emulator = await startEmulator();
    const settings = { window: 4_000, reserve: { output: 50 } };
    const session = (await createSpillway({ settings, format })).session();
    const reserves: number[] = [];
    emulator.otherwise = () => {
      reserves.push(session.reading.budget.reserve.output);
      return reserves.length === 1 ? recalls({ query: 'oak' }) : says('Built.');
    };
    await open(emulator, session, true).ask('Build a mill.');
    expect(reserves).toEqual([100, 100]);
  },
);
