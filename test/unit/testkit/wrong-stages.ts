import { z } from 'zod';
import type {
  CompactionStage,
  Proposal,
  StageGoal,
  TranscriptView,
  ViewExchange,
} from '../../../src/spi/index.js';
import type { Edit, Message, Part } from '../../../src/transcript/index.js';

type Plan = (view: TranscriptView, goal: StageGoal<any>) => unknown;

const stage = (plan: Plan, more: object = {}): CompactionStage<any> => ({
  name: 'wrong',
  summary: 'Does one thing wrong.',
  options: z.object({}),
  plan: plan as (view: TranscriptView, goal: StageGoal<any>) => Proposal,
  ...more,
});

const text = (words: string): Part => ({ type: 'text', text: words });
const free = (view: TranscriptView): ViewExchange[] =>
  view.exchanges.filter(({ protection, unseen, kind }) => !protection && !unseen && kind !== 'replacement');
const spoken = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  role: 'assistant',
  origin: 'synthetic',
  parts: [text('gone')],
  ...more,
});
const span = ({ fromId, toId }: { fromId: string; toId: string }, replacement: readonly Message[]): Edit => ({
  kind: 'supersede',
  fromId,
  toId,
  replacement,
  reason: 'wrong',
});
const part = (messageId: string, partIndex: number, content: readonly Part[]): Edit => ({
  kind: 'replace',
  messageId,
  partIndex,
  content,
  reason: 'wrong',
});
const partsOf = (view: TranscriptView, type: Part['type']) =>
  free(view).flatMap(({ messages }) =>
    messages.flatMap(({ source }) =>
      (source?.parts ?? []).flatMap((one, index) =>
        one.type === type ? [{ id: source!.id, index, one }] : [],
      ),
    ),
  );

/** Plans the same for the first so many exchanges that are free. */
const biting =
  (count: number, edit: (one: ViewExchange) => Edit | readonly Edit[]): Plan =>
  (view) => ({ edits: free(view).slice(0, count).flatMap(edit) });

let calls = 0;

/** One for each rule: what breaks it, and nothing more than it must. */
export const WRONG_STAGES: readonly (readonly [rule: string, what: string, stage: CompactionStage<any>])[] = [
  ['STAGE-01', 'has a name with a space', stage(() => ({ edits: [] }), { name: 'Wrong Stage' })],
  ['STAGE-01', 'says nothing to operators', stage(() => ({ edits: [] }), { summary: ' ' })],
  [
    'STAGE-01',
    'cannot do without options',
    stage(() => ({ edits: [] }), { options: z.object({ size: z.number() }) }),
  ],
  [
    'STAGE-02',
    'trips over a history without tools',
    stage((view) => ({ edits: [partsOf(view, 'tool-result')[3]!.id].slice(1) })),
  ],
  ['STAGE-03', 'answers later', stage(() => Promise.resolve({ edits: [] }))],
  ['STAGE-03', 'answers with a bare list', stage(() => [])],
  [
    'STAGE-03',
    'gives no reason',
    stage((view) => ({ edits: free(view).map((one) => ({ ...span(one, []), reason: '' })) })),
  ],
  [
    'STAGE-04',
    'marks what it has seen on the messages themselves',
    stage((view) => {
      for (const { messages } of view.exchanges) (messages[0]!.message as { seen?: boolean }).seen = true;
      return { edits: [] };
    }),
  ],
  ['STAGE-05', 'invents an id', stage(() => ({ edits: [part('m9999', 0, [])] }))],
  ['STAGE-05', 'counts parts from 1', stage(biting(1, ({ fromId }) => part(fromId, 99, [])))],
  [
    'STAGE-06',
    'takes the whole conversation, pins or not',
    stage((view) => ({
      edits: view.exchanges.flatMap(({ protection, fromId }) =>
        protection ? [part(fromId, 0, [text('.')])] : [],
      ),
    })),
  ],
  [
    'STAGE-07',
    'removes fresh results',
    stage((view) => ({
      edits: view.exchanges
        .filter(({ unseen, protection }) => unseen && !protection)
        .map((one) => span(one, [])),
    })),
  ],
  [
    'STAGE-08',
    'drops results and keeps their calls',
    stage((view) => ({
      edits: free(view)
        .filter(({ messages }) => messages.length > 1)
        .map(({ messages, toId }) => span({ fromId: messages.at(-1)!.message.id, toId }, [])),
    })),
  ],
  [
    'STAGE-09',
    'cuts arguments in the middle',
    stage((view) => ({
      edits: partsOf(view, 'tool-call').map(({ id, index, one }) =>
        part(id, index, [text((one as { arguments: string }).arguments.slice(0, 5))]),
      ),
    })),
  ],
  [
    'STAGE-09',
    'puts words into the mouth of the user',
    stage((view) => ({
      edits: free(view)
        .filter(({ messages }) => messages[0]!.source?.origin === 'user')
        .map(({ fromId }) => part(fromId, 0, [text('yes')])),
    })),
  ],
  [
    'STAGE-10',
    'speaks as the system',
    stage(biting(1, (one) => span(one, [spoken('w1', { role: 'system' })]))),
  ],
  ['STAGE-10', 'gives every summary the same id', stage(biting(2, (one) => span(one, [spoken('w1')])))],
  [
    'STAGE-11',
    'explains at length what is gone',
    stage(biting(1, (one) => span(one, [spoken('w2', { parts: [text('long '.repeat(9_000))] })]))),
  ],
  ['STAGE-12', 'takes the same span twice', stage(biting(1, (one) => [span(one, []), span(one, [])]))],
  [
    'STAGE-13',
    'counts how often it was asked',
    stage(biting(1, (one) => ({ ...span(one, []), reason: `call ${(calls += 1)}` }))),
  ],
  ['STAGE-14', 'takes one bite at a time', stage(biting(1, (one) => span(one, [])))],
  ['STAGE-15', 'keeps a map', stage(() => ({ edits: [], state: { seen: new Map([[1, 2]]) } }))],
  [
    'STAGE-16',
    'returns nothing behind another stage',
    stage((view) =>
      view.exchanges.some(({ kind }) => kind === 'replacement')
        ? undefined
        : {
            edits: free(view)
              .slice(-1)
              .map((one) => span(one, [spoken(`r${one.from}`)])),
          },
    ),
  ],
  [
    'STAGE-17',
    'stops with the whole process',
    stage(() => ({ edits: [] }), { name: 'drop', options: z.object({ must: z.string() }) }),
  ],
];
