import { createGuard } from '../../../src/pipeline/guard.js';
import { openLoopFrom } from '../../../src/pipeline/reasoning-rule.js';
import { onlyStripsReasoning, reasoningRuleFor } from '../../../src/pipeline/index.js';
import { joinReasoning } from '../../../src/pipeline/signed.js';
import { formats } from '../../../src/formats/index.js';
import type { CompactionRecord, ReasoningOutcome } from '../../../src/transcript/index.js';
import { Bench } from '../../support/bench.js';
import { replace } from '../../support/edits.js';
import { call, calls, conversation, result, says, thought, user, words } from '../../support/messages.js';

it('a record without edits, as older versions made them, is a compaction, which undo takes back by itself', () => {
  expect(onlyStripsReasoning({ plan: { edits: [] } } as unknown as CompactionRecord)).toBe(false);
});

describe('the rule of a session', () => {
  it.each([
    ['anthropic', null, 'prefix strip'],
    ['gemini', 'claude-sonnet-5-5', 'step keep'],
    ['openai-responses', 'gpt-5', 'step keep'],
    ['ai-sdk', 'anthropic/claude-opus-5', 'step keep'],
    ['ai-sdk', 'anthropic/claude-opus-5.5', 'prefix strip'],
    ['anthropic', 'claude-opus-4-6', 'step keep'],
    ['anthropic', 'claude-opus-5-20260724', 'step keep'],
    ['anthropic', 'claude-3-7-sonnet-20250219', 'step keep'],
    ['anthropic', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'step keep'],
    ['anthropic', 'claude-opus-4-1@20250805', 'step keep'],
    ['anthropic', 'claude-mythos-preview', 'step keep'],
    ['anthropic', 'claude-fable-5', 'step keep'],
    ['anthropic', 'claude-fable-5-2', 'prefix strip'],
    ['anthropic', 'claude-haiku-5-5-20261001', 'prefix strip'],
    ['anthropic', 'anthropic.claude-sonnet-5-5-v1:0', 'prefix strip'],
    ['anthropic', 'claude-opus-6', 'prefix strip'],
    ['anthropic', 'claude-opus-latest', 'prefix strip'],
    ['langchain', 'gemini-3-pro', 'step keep'],
    ['openai-chat', 'deepseek-reasoner', 'nothing keep'],
    ['openai-chat', null, 'prefix strip'],
    ['a format of one’s own', 'a model of one’s own', 'prefix strip'],
  ])('%s with the model %s', (format, model, expected) => {
    const { binding, choice } = reasoningRuleFor(formats.get(format) ?? {}, model);
    expect(`${binding} ${choice}`).toBe(expected);
  });

  it('gives way to the settings, and says so', () => {
    expect(reasoningRuleFor(formats.get('anthropic')!, null, 'keep')).toMatchObject({
      choice: 'keep',
      why: expect.stringContaining('settings'),
    });
  });
});

const finished = conversation(
  user('Go.'),
  calls(thought('first', 'sig'), call('read', { path: words(20) }, 'a')),
  result('a', words(50)),
  calls(thought('unsigned'), call('read', {}, 'b')),
  result('b', words(50)),
  says(thought('done', 'sig'), 'It stands.'),
  user('And?'),
  calls(thought('now', 'sig'), call('read', {}, 'c')),
  result('c', words(50)),
);

describe('the guard', () => {
  const { view, log } = new Bench(finished, { isPinned: () => false });
  const judge = (binding: 'prefix' | 'step', messageId: string, part: number, text?: string) =>
    createGuard(view, log, undefined, binding).judgePlace(
      text === undefined ? { ...replace(messageId, part, ''), content: [] } : replace(messageId, part, text),
    )?.message;

  it('lets no stage touch the reasoning of the open tool loop', () => {
    expect(openLoopFrom(log)).toBe(6);
    expect(judge('prefix', 'm7', 0)).toContain('m7');
    expect(judge('prefix', 'm1', 0)).toBeUndefined();
  });

  it('keeps unsigned reasoning with the calls it led to', () => {
    expect(judge('prefix', 'm3', 0)).toContain('must be sent with the calls');
  });

  it('keeps a step whole whose signature vouches for it; its result may be stubbed', () => {
    expect(judge('step', 'm1', 1, '{"path":"x"}')).toContain('vouches for it');
    expect(judge('prefix', 'm1', 1, '{"path":"x"}')).toBeUndefined();
    expect(judge('step', 'm2', 0, 'stub')).toBeUndefined();
  });
});

describe('what a batch did about reasoning', () => {
  const outcome = (kept: number, seq: number): ReasoningOutcome => ({
    choice: 'strip',
    settled: 2,
    kept,
    why: 'a test',
    from: { seq, part: -1 },
  });

  it('two halves of one batch are told as one', () => {
    expect(joinReasoning(outcome(3, 4), outcome(1, 2))).toMatchObject({
      settled: 4,
      kept: 1,
      from: { seq: 2 },
    });
    expect(joinReasoning(undefined, outcome(1, 2))?.settled).toBe(2);
  });
});
