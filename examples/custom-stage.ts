// A stage of your own, bound from outside: npx tsx examples/custom-stage.ts
import { injectable } from 'inversify';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import {
  openaiChat,
  type CompactionStage,
  type ConfigSources,
  type Edit,
  type Proposal,
  type StageGoal,
  type TranscriptView,
} from 'spillway';
import { createContainer, openSpillway, SERVICES } from 'spillway/container';

const PollsOptions = z.strictObject({
  tools: z.array(z.string()).default(['poll']).describe('Tools of which only the newest answer counts.'),
});
type PollsOptions = z.infer<typeof PollsOptions>;

/** Keeps only the newest answer of tools that are polled for a status. */
@injectable()
export class PollsStage implements CompactionStage<PollsOptions> {
  readonly name = 'polls';
  readonly summary = 'Leaves of repeated status questions only the newest answer.';
  readonly options = PollsOptions;

  plan(view: TranscriptView, { options }: StageGoal<PollsOptions>): Proposal {
    const answered = new Set<string>();
    const edits: Edit[] = [];
    for (const { kind, messages, protection, unseen } of view.exchanges.toReversed()) {
      if (kind !== 'step') continue;
      const tools = messages.flatMap(({ message }) =>
        message.parts.flatMap((part) => (part.type === 'tool-call' ? part.name : [])),
      );
      const [tool] = tools;
      if (tools.length !== 1 || !options.tools.includes(tool!)) continue;
      const isNewest = !answered.has(tool!);
      answered.add(tool!);
      if (isNewest || protection || unseen) continue;
      for (const { source } of messages) {
        source?.parts.forEach(({ type }, partIndex) => {
          if (type !== 'tool-result') return;
          const content = [{ type: 'text' as const, text: '[a newer answer follows]' }];
          const reason = `${tool} was asked again later`;
          edits.push({ kind: 'replace', messageId: source.id, partIndex, content, reason });
        });
      }
    }
    return { edits };
  }
}

type Roster = NonNullable<NonNullable<ConfigSources['settings']>['roster']>;
const POLLS = { stage: 'polls', opensAt: 0.8 };

/** Changes that a third party can make to the roster through settings alone. */
export const ROSTERS = {
  added: [POLLS, 'snip', 'micro', 'collapse', 'auto', 'partial', 'full'],
  'in place of snip': [POLLS, 'micro', 'collapse', 'auto', 'partial', 'full'],
  reordered: [
    { stage: 'collapse', opensAt: 0.8 },
    { stage: 'snip', opensAt: 0.82 },
    { stage: 'polls', opensAt: 0.84 },
  ],
  'switched off': ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'],
} satisfies Record<string, Roster>;

/** The engine with `PollsStage` bound in addition to the built-in stages. */
export function open(roster: Roster, settings: ConfigSources['settings'] = {}) {
  const container = createContainer();
  container.bind(SERVICES.Stage).to(PollsStage);
  return openSpillway(container, {
    settings: { window: 8_000, reserve: { output: 0 }, counter: 'heuristic', ...settings, roster },
  });
}

/** A deployment that is polled for its status twenty times. */
export const POLLED = openaiChat.parse([
  { role: 'user', content: 'Deploy it and tell me when it is done.' },
  ...Array.from({ length: 20 }, (_, i) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `poll_${i}`, type: 'function', function: { name: 'poll', arguments: '{}' } }],
    },
    {
      role: 'tool',
      tool_call_id: `poll_${i}`,
      content: `step ${i} of 20\n${'still waiting for the machine\n'.repeat(50)}`,
    },
  ]).flat(),
  { role: 'assistant', content: 'Nineteen steps are done.' },
  { role: 'user', content: 'And now?' },
]).messages;

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [what, roster] of Object.entries(ROSTERS)) {
    const session = (await open(roster)).session();
    session.append(...POLLED);
    const before = session.reading.pressure;
    const { run, reading } = await session.prepare();
    const percent = (pressure: number): string => `${Math.round(100 * pressure)} %`;
    const stages = run.stages.map(({ stage, edits }) => `${stage} ${edits}`).join(', ');
    console.log(
      `polls ${what}: ${run.kind}, ${percent(before)} -> ${percent(reading.pressure)}; edits: ${stages}`,
    );
  }
}
