import { execFileSync } from 'node:child_process';
import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway, type Message, type Session } from '../../src/index.js';
import { prose, says, sessionOf, shownText, step, system, talk, user, type Chat, logged } from './support.js';

const RECORDED = 'examples/sessions/pressure-gauge.jsonl';
const BUDGETS = [8_000, 16_000];

interface Recorded {
  readonly session: Session;
  readonly request: string;
}

/** The recorded session, compacted at its last request. */
async function play(budget: number): Promise<Recorded> {
  const { parsed } = await readSession(RECORDED);
  const settings = { counter: 'heuristic', safetyMargin: 0 } as const;
  const session = (await createSpillway({ inputBudget: budget, settings })).session();
  await session.append(...parsed.messages);
  const { run, messages } = await session.prepare();
  expect(run.kind).toBe('committed');
  return { session, request: JSON.stringify(messages) };
}

/** The result of `play`, made once for all tests that only read it. */
const played = new Map<number, Promise<Recorded>>();
function recorded(budget: number): Promise<Recorded> {
  const one = played.get(budget) ?? play(budget);
  played.set(budget, one);
  return one;
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** All text of a message, calls and results included; texts inside arguments are unescaped. */
const saidBy = ({ parts }: Pick<Message, 'parts'>): string =>
  flat(
    parts
      .map((part) => {
        if (part.type === 'tool-call') return stringsIn(JSON.parse(part.arguments)).join('\n');
        if (part.type === 'tool-result')
          return part.content.map((inner) => ('text' in inner ? inner.text : '')).join('\n');
        return 'text' in part ? part.text : '';
      })
      .join('\n'),
  );

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const digestsOf = (session: Session): string[] =>
  session.view.filter(({ message }) => message.label === 'summary').map(shownText);

interface Line {
  readonly speaker: string;
  readonly id: string;
  readonly text: string;
}

/** Lines that quote a speaker, each with the indented lines that continue it. */
const spokenIn = (digest: string): Line[] =>
  [
    ...digest.matchAll(
      /^(User|User pasted|Assistant|Assistant, in a call|Earlier summary) \[([^\]\s]+)\]: (.*(?:\n {2}.*)*)/gm,
    ),
  ].map(([, speaker, id, text]) => ({ speaker: speaker!, id: id!, text: text! }));

/** Ids of user messages that a digest lists instead of quoting them. */
const listedIn = (digest: string, session: Session): string[] =>
  [...digest.matchAll(/^\[\d+ more messages? of the user; (?:recall )?([^\]]+)\]$/gm)].flatMap(
    ([, listed]) => {
      const [from, to] = listed!.split('..');
      if (to === undefined) return listed!.split(', ');
      const [first, last] = [session.log.find(from!)!.seq, session.log.find(to)!.seq];
      return Array.from({ length: last - first + 1 }, (_, i) => session.log.at(first + i).id);
    },
  );

describe('N14: the handover', () => {
  it.each(BUDGETS)(
    'N14: every message of the user is verbatim, or has a handle that recalls it, at %d',
    async (budget) => {
      const { session } = await recorded(budget);
      const sent = flat(session.view.map(shownText).join('\n'));
      const users = logged(session).filter(({ role, origin }) => role === 'user' && origin === 'user');
      expect(users.length).toBeGreaterThan(3);
      let verbatim = 0;
      for (const message of users) {
        if (sent.includes(saidBy(message))) {
          verbatim++;
          continue;
        }
        const digests = digestsOf(session);
        const isCut = digests.some((digest) =>
          spokenIn(digest).some(({ id, text }) => id === message.id && text.includes('[…]')),
        );
        const isListed = digests.some((digest) => listedIn(digest, session).includes(message.id));
        expect([message.id, isCut || isListed]).toEqual([message.id, true]);
        const read = await session.recall({ handle: message.id, maxTokens: 100_000 });
        expect(flat(read.map(({ text }) => text).join('\n'))).toContain(saidBy(message));
      }
      expect(verbatim).toBeGreaterThanOrEqual(3);
    },
  );

  it.each(BUDGETS)(
    'N14: a digest contains only words of the session and lines of its own, at %d',
    async (budget) => {
      const { session } = await recorded(budget);
      const digests = digestsOf(session);
      const lines = digests.flatMap(spokenIn);
      expect(new Set(lines.map(({ speaker }) => speaker))).toEqual(new Set(['User', 'Assistant']));
      for (const { speaker, id, text } of lines) {
        const message = session.log.find(id)!;
        expect(message.role).toBe(speaker.startsWith('User') ? 'user' : 'assistant');
        const said = saidBy(message);
        for (const piece of text.split(/\[…\]|\n/)) expect(said).toContain(flat(piece));
      }
      // Outcomes of calls are quoted from their results.
      const results = flat(
        Array.from({ length: session.log.length }, (_, seq) => saidBy(session.log.at(seq))).join('\n'),
      );
      const quotes = digests.flatMap((digest) =>
        [...digest.matchAll(/^\[(?:call|\d+ calls) .*$/gm)].flatMap(([line]) =>
          [...line.matchAll(/→ (?:failed|exit 0)?:? ?“([^“”]*)”/g)].map(([, quote]) => quote!),
        ),
      );
      expect(quotes.length).toBeGreaterThan(0);
      for (const quote of quotes)
        for (const piece of quote.split(/…|; /)) expect(results).toContain(flat(piece));
      // Every line begins as a line of the digest does, or is indented as its continuation.
      for (const digest of digests)
        for (const line of digest.split('\n'))
          expect(line).toMatch(
            /^(?: {2}|\[Digest of |\[\d+ more message|\[call |\[\d+ calls |\[plan, |\[newest commit, |\[files changed by edit tools|(?:User|User pasted|Assistant|Assistant, in a call|Earlier summary) \[)/,
          );
    },
  );

  it.each(BUDGETS)(
    'N14: the run ends near the target, or near the floor if that is higher, at %d',
    async (budget) => {
      const { session } = await recorded(budget);
      const { floor } = session.operator.history[0]!.plan;
      const { pressure } = session.reading;
      expect(pressure).toBeLessThanOrEqual(Math.max(0.61, floor.total / budget + 0.1));
      expect(pressure).toBeGreaterThan(0.3);
    },
  );

  it('N14: the request has the same bytes in another session and in another process', async () => {
    const [first, again] = await Promise.all(
      [recorded, play].map((how) => Promise.all(BUDGETS.map(async (budget) => (await how(budget)).request))),
    );
    expect(again).toEqual(first);
    const other = execFileSync(
      process.execPath,
      ['--import', 'tsx', 'test/support/handover-worker.ts', RECORDED, ...BUDGETS.map(String)],
      { encoding: 'utf8', maxBuffer: 1e8 },
    );
    expect(other.trimEnd().split('\n')).toEqual(first);
  });

  /** So many tool calls that the earlier words have to leave. */
  const work = (steps: number): Chat[] =>
    Array.from({ length: steps }, (_, i) =>
      step('read_file', { path: `src/part${i}.ts` }, prose(220, i)),
    ).flat();
  const compacted = async (chat: readonly Chat[]): Promise<string> => {
    const session = await sessionOf(6_000, [system('Be brief.'), user('Mend the mill.'), ...chat], {
      roster: [{ stage: 'partial', opensAt: 0.8 }],
    });
    await session.operator.compact({ target: 0.4 });
    return digestsOf(session).join('\n');
  };

  it('N14: a digest puts a short reply directly after what it answers', async () => {
    const digest = await compacted([
      says(
        `${prose(300, 1)}\n\nTwo ways:\n\n1. Take out the wheel first.\n2. Leave the wheel and turn the shaft by hand.\n\nWhich of the two do you want?`,
      ),
      user('2'),
      says('On it.'),
      ...work(30),
      says('So far.'),
    ]);
    const lines = spokenIn(digest);
    const reply = lines.findIndex(({ speaker, text }) => speaker === 'User' && text === '2');
    expect(lines[reply - 1]).toMatchObject({ speaker: 'Assistant', id: 'm2' });
    expect(lines[reply - 1]!.text).toContain('2. Leave the wheel and turn the shaft by hand.');
    expect(lines[reply - 1]!.text).toContain('Which of the two do you want?');
  });

  it('N14: a digest lists calls between the words that came before and after them', async () => {
    const digest = await compacted([
      says('First I look at the wall, since it holds the wheel.'),
      ...work(8),
      says('Then I look at the roof, since the rain comes in.'),
      ...work(24),
      says('So far.'),
    ]);
    const places = ['First I look at the wall', 'src/part0.ts', 'Then I look at the roof'].map((words) =>
      digest.indexOf(words),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('N14: a digest lists user messages without room by handle, and omits none', async () => {
    const session = await sessionOf(6_000, [system('Be brief.'), user('Mend the mill.'), ...talk(40, 120)], {
      roster: [{ stage: 'partial', opensAt: 0.8 }],
    });
    await session.operator.compact({ target: 0.4 });
    const digests = digestsOf(session);
    const listed = new Set(digests.flatMap((digest) => listedIn(digest, session)));
    const said = new Set(digests.flatMap(spokenIn).map(({ id }) => id));
    const stands = new Set(session.view.flatMap(({ source }) => (source ? [source.id] : [])));
    const users = logged(session).filter(({ role }) => role === 'user');
    const told = users.filter(({ id }) => listed.has(id) || said.has(id) || stands.has(id));
    expect(told.map(({ id }) => id)).toEqual(users.map(({ id }) => id));
    expect(users.filter(({ id }) => listed.has(id)).length).toBeGreaterThan(10);
  });

  it('N14: a digest quotes the message of a commit as words of the agent', async () => {
    const command =
      'git add -A && git commit -m "$(cat <<\'EOF\'\nTurn the shaft by hand\n\nThe wheel is left where it is because its pit is full.\nEOF\n)"';
    const digest = await compacted([
      ...step('bash', { command }, '[main 1a2b3c4] Turn the shaft by hand\n 1 file changed'),
      ...work(30),
      says('So far.'),
    ]);
    expect(spokenIn(digest)).toContainEqual({
      speaker: 'Assistant, in a call',
      id: 'm2',
      text: expect.stringMatching(/^Turn the shaft by hand/),
    });
    expect(flat(digest)).toContain('The wheel is left where it is because its pit is full.');
  });

  it('N14: a digest quotes a decision from between thousands of tokens of output', async () => {
    const decision =
      'I decided to keep the old sluice because the new one leaks at 3.2 bar; see `sluice/gate.ts`.';
    const digest = await compacted([...work(12), says(decision), user('ok'), ...work(24), says('So far.')]);
    expect(spokenIn(digest)).toContainEqual({ speaker: 'Assistant', id: 'm26', text: decision });
  });
});
