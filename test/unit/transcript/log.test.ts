import { Log, type Message } from '../../../src/transcript/index.js';
import { Bench, measure } from '../../support/bench.js';
import {
  answer,
  call,
  calls,
  conversation,
  named,
  reminder,
  result,
  says,
  system,
  text,
  user,
  type Draft,
} from '../../support/messages.js';

const logOf = (...drafts: readonly Draft[]) => Bench.of(...drafts).log;

describe('the log', () => {
  it('takes an id once', () => {
    const log = logOf(user('u'));
    const again = conversation(user('other'))[0]!;
    expect(() => log.append(again, measure(again))).toThrow(
      expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }),
    );
    expect(log.length).toBe(1);
    expect(log.find('m0')?.parts).toEqual([text('u')]);
  });

  it('finds by place and by id', () => {
    const log = logOf(user('u'), named('__proto__', says('a')));
    expect(log.at(1).id).toBe('__proto__');
    expect(log.find('__proto__')?.seq).toBe(1);
    expect(log.find('constructor')).toBeUndefined();
    expect(() => log.at(2)).toThrow(RangeError);
  });

  it('cannot be changed through what was appended, nor through what it shows', () => {
    const parts = [answer('c1', 'as it was'), text('so it was')];
    const message: Message = { id: 'a', role: 'tool', origin: 'tool', parts };
    const log = new Log();
    const entry = log.append(message, measure(message));
    parts.push(answer('c2', 'slipped in'));
    (parts[0] as { content: unknown }).content = [];
    (parts[1] as { text: string }).text = 'changed';
    expect(entry.parts).toEqual([answer('c1', 'as it was'), text('so it was')]);
    expect(() => (entry.parts as unknown[]).pop()).toThrow(TypeError);
    expect(() =>
      Object.assign((entry.parts[0] as unknown as { content: object[] }).content[0]!, { text: 'x' }),
    ).toThrow(TypeError);
    expect(() => Object.assign(entry.size, { tokens: 0 })).toThrow(TypeError);
    expect(() => Object.assign(entry.size.parts[0]!, { tokens: 0 })).toThrow(TypeError);
  });
});

it.each<[string, Draft[], number[], number[]]>([
  [
    'begin with each user message',
    [system('s'), user('a'), says('x'), user('b'), says('y')],
    [0, 1, 3],
    [0, 1, 1, 2, 2],
  ],
  ['begin at once where the user does', [user('a'), says('x'), user('b')], [0, 2], [0, 0, 1]],
  ['are not begun by reminders', [user('a'), reminder('r'), says('x')], [0], [0, 0, 0]],
  [
    'are not begun by results in user messages',
    [user('a'), calls(call('t')), user(answer('c1', 'r'))],
    [0],
    [0, 0, 0],
  ],
  [
    'are begun by words beside results',
    [user('a'), calls(call('t')), user(answer('c1', 'r'), text('no'))],
    [0, 2],
    [0, 0, 1],
  ],
  [
    'are begun by words beside a late result',
    [says('x'), user(answer('c9', 'r'), text('no'))],
    [0, 1],
    [0, 1],
  ],
  ['are not begun by a user message without content', [user('a'), says('x'), user()], [0], [0, 0, 0]],
])('turns %s', (_name, drafts, from, of) => {
  const log = logOf(...drafts);
  expect(log.turns.map((turn) => turn.from)).toEqual(from);
  expect(log.turns.map((turn) => turn.index)).toEqual(from.map((_, i) => i));
  expect(drafts.map((_, seq) => log.turnOf(seq))).toEqual(of);
});

describe('what stands at the end of the log', () => {
  const step = calls(call('t'), call('t', {}, 'c2'));
  const hidden = (draft: Draft): Draft => ({ ...draft, unknownToClient: true });

  it.each<[string, Draft[], { unseenFrom: number; unanswered?: string; open?: number; first?: string }]>([
    ['nothing', [], { unseenFrom: 0 }],
    ['a question', [system('s'), user('q')], { unseenFrom: 0, unanswered: 'm1', first: 'm1' }],
    ['an answer', [user('q'), says('a')], { unseenFrom: 2, first: 'm0' }],
    [
      'an open step',
      [user('q'), step, result('c1', 'r')],
      { unseenFrom: 2, unanswered: 'm0', open: 1, first: 'm0' },
    ],
    [
      'a finished step',
      [user('q'), step, result('c1', 'r'), result('c2', 'r')],
      { unseenFrom: 2, unanswered: 'm0', first: 'm0' },
    ],
    [
      'a second question while calls run',
      [user('q'), step, user('p')],
      { unseenFrom: 2, unanswered: 'm2', open: 1, first: 'm0' },
    ],
    [
      'a step the model went on from',
      [user('q'), step, user('p'), says('a')],
      { unseenFrom: 4, first: 'm0' },
    ],
    [
      'a step the model went on from by another',
      [user('q'), step, calls(call('u', {}, 'c3')), result('c3', 'r')],
      { unseenFrom: 3, unanswered: 'm0', first: 'm0' },
    ],
    ['a reminder after an answer', [user('q'), says('a'), reminder('r')], { unseenFrom: 2, first: 'm0' }],
    [
      'words beside results',
      [user('q'), step, user(answer('c1', 'r'), text('p'))],
      { unseenFrom: 2, unanswered: 'm2', open: 1, first: 'm0' },
    ],
    [
      'words beside an orphan result',
      [says('a'), user(answer('c9', 'r'), text('p'))],
      { unseenFrom: 1, unanswered: 'm1', first: 'm1' },
    ],
    ['the assistant, from the start', [says('hello')], { unseenFrom: 1 }],
    [
      'a call beside a recall',
      [user('q'), hidden(calls(call('recall'))), hidden(result('c1', 'r')), calls(call('t', {}, 'c2'))],
      { unseenFrom: 2, unanswered: 'm0', open: 3, first: 'm0' },
    ],
    [
      'an answer after a recall',
      [user('q'), hidden(calls(call('recall'))), hidden(result('c1', 'r')), says('a')],
      { unseenFrom: 4, first: 'm0' },
    ],
    [
      'a recall after a recall',
      [
        user('q'),
        hidden(calls(call('recall'))),
        hidden(result('c1', 'r')),
        hidden(calls(call('recall', {}, 'c2'))),
      ],
      { unseenFrom: 4, unanswered: 'm0', open: 3, first: 'm0' },
    ],
    [
      'a provider-executed tool',
      [user('q'), says(call('t'), answer('c1', 'r'))],
      { unseenFrom: 2, unanswered: 'm0', first: 'm0' },
    ],
  ])('%s', (_name, drafts, expected) => {
    const log = logOf(...drafts);
    expect({
      unseenFrom: log.unseenFrom,
      ...(log.unansweredUser && { unanswered: log.unansweredUser.id }),
      ...(log.openExchange && { open: log.openExchange.seqs[0] }),
      ...(log.firstUser && { first: log.firstUser.id }),
    }).toEqual(expected);
  });
});
