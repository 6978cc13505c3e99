import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openaiChat, openStore, type CompactionStage } from 'spillway';
import { SERVICES } from 'spillway/container';
import { judge, STAGE_RULES, STORE_RULES, validateOpenAiChat } from 'spillway/testkit';
import { auditedStore } from '../audited-store.js';
import { CLASSES, openAcme } from '../module.js';
import { AcmeLines } from '../stages/acme-lines.js';
import { ForgetRestricted } from '../stages/forget-restricted.js';
import { NewestState } from '../stages/newest-state.js';

/** A list that contains every name, because the tools of the kit's histories do not have Acme's names. */
class Every extends Array<string> {
  override includes(): boolean {
    return true;
  }
}
const everyTool = { restricted: new Every(), states: new Every() };

const STAGES: readonly (readonly [CompactionStage, readonly unknown[]])[] = [
  [new ForgetRestricted(everyTool) as CompactionStage, [{ turns: 2 }]],
  [new NewestState(everyTool) as CompactionStage, []],
  [new AcmeLines() as CompactionStage, [{ minTokens: 30 }]],
];

for (const [stage, options] of STAGES)
  test(`${stage.name} keeps the contract of a stage`, async () => {
    const verdicts = await judge({ stage, options }, STAGE_RULES);
    assert.deepEqual(
      verdicts.filter(({ holds }) => !holds),
      [],
    );
    assert.ok(verdicts.find(({ id }) => id === 'STAGE-05')?.exercised);
  });

test('the audited store keeps the contract of a store, and tells every write', async () => {
  const told: object[] = [];
  const audit = { wrote: (entry: object) => void told.push(entry) };
  for (const rule of STORE_RULES.filter(({ reopens }) => !reopens)) {
    const open = async () => auditedStore(await openStore('memory:'), audit);
    assert.deepEqual(
      (await judge(open, [rule])).filter(({ holds }) => !holds),
      [],
    );
  }
  assert.ok(told.length > 0);
});

const called = (id: string, tool: string, args: string, answer: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: tool, arguments: args } }],
  },
  { role: 'tool', tool_call_id: id, content: answer },
];

test('a session of the platform: counted, compacted and audited by what Acme bound', async () => {
  const told: { readonly session: string }[] = [];
  const { spillway, container } = await openAcme(
    { store: await openStore('memory:'), audit: { wrote: (entry) => void told.push(entry) } },
    { window: 6_000, reserve: { output: 0 }, safetyMargin: 0 },
  );
  assert.equal(container.get(SERVICES.TokenCounter).name, 'acme-gateway');
  assert.deepEqual(
    spillway.stages.filter(({ opensAt }) => opensAt !== undefined).map(({ name }) => name),
    ['forget-restricted', 'newest-state', 'snip', 'acme-lines', 'collapse', 'auto', 'partial', 'full'],
  );
  assert.equal(spillway.stages.find(({ name }) => name === 'micro')?.opensAt, undefined);

  const session = await spillway.open({ id: 'ticket-4711' });
  await session.append(
    ...openaiChat.parse([
      { role: 'user', content: 'Who is customer 12?' },
      ...called('c1', 'customer_record', '{"id":12}', 'name: Ada\n'.repeat(300)),
      { role: 'assistant', content: 'Ada.' },
      { role: 'user', content: 'Is it deployed?' },
      ...Array.from({ length: 9 }, (_, i) =>
        called(
          `d${i}`,
          'deployment_status',
          '{"app":"web"}',
          `step ${i}\n${'waiting for machines\n'.repeat(100)}`,
        ),
      ).flat(),
      { role: 'assistant', content: 'Not yet.' },
      { role: 'user', content: 'And now?' },
    ]).messages,
  );
  const { run, messages } = await session.prepare();
  assert.equal(run.kind, 'committed');
  assert.deepEqual(
    run.stages.filter(({ edits }) => edits > 0).map(({ stage }) => stage),
    ['forget-restricted', 'newest-state'],
  );
  assert.deepEqual(validateOpenAiChat(messages as never), []);
  const sent = JSON.stringify(messages);
  assert.ok(!sent.includes('name: Ada'));
  assert.match(sent, /customer_record result, [\d,]+ tokens, compacted, restricted; m2#0/);
  assert.match(sent, /step 8/);
  assert.deepEqual(CLASSES.restricted, ['customer_record', 'secrets']);
  assert.ok(told.length > 0 && told.every((entry) => entry.session === 'ticket-4711'));
  await spillway.close();
});
