import { formats, type PressureEvent, type Session } from '../../../src/index.js';
import { isSignatureRefusal } from '../../../src/formats/index.js';
import { validateAnthropic } from '../../../src/testkit/index.js';
import { engine, times } from '../support.js';
import { asks, loop, play, text, thinks, thoughtsIn, turn, type Wire } from '../thinking.js';
import { SIGNED_STEPS } from '../thinking-wires.js';

describe('AC-07: reasoning signatures', () => {
  it('AC-07: reasoning stays verbatim until a compaction removes it, and removed reasoning never returns', async () => {
    const wire = [
      ...['a', 'b', 'c', 'd', 'e'].flatMap((name) => turn(name, 8)),
      asks('Go on.'),
      ...loop('z', 4),
    ];
    const thought = new Set(thoughtsIn(wire));
    const session = (await engine(6_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, wire);
    const compactions = calls.filter(({ committed }) => committed).length;
    expect(compactions).toBeGreaterThan(2);
    let gone = new Set<string>();
    let before: readonly Wire[] = [];
    for (const { messages, committed, signatures } of calls) {
      const stands = new Set(thoughtsIn(messages));
      for (const words of stands) {
        expect(thought).toContain(words);
        expect(gone).not.toContain(words);
      }
      const left = thoughtsIn(before).filter((words) => !stands.has(words));
      if (!committed) expect(left).toEqual([]);
      gone = new Set([...gone, ...left]);
      expect(signatures).toEqual([]);
      before = messages;
    }
    expect(gone.size).toBeGreaterThan(5);
  });

  it('AC-07: DeepSeek gets its reasoning back with the calls that it led to', async () => {
    const wire = Array.from({ length: 30 }, (_, i) => [
      {
        role: 'assistant',
        reasoning_content: `I read file ${i}. ${'Why not? '.repeat(10)}`,
        content: '',
        tool_calls: [
          { id: `c${i}`, type: 'function', function: { name: 'Read', arguments: `{"path":"src/${i}.ts"}` } },
        ],
      },
      { role: 'tool', tool_call_id: `c${i}`, content: 'the mill stands '.repeat(60) },
    ]).flat();
    const { openaiChat } = await import('../../../src/index.js');
    const session = (await engine(4_000)).session();
    await session.append(...openaiChat.parse([{ role: 'user', content: 'Go.' }, ...wire]).messages);
    const { messages, run } = await session.prepare();
    expect(run.kind).toBe('committed');
    const calling = (messages as Record<string, unknown>[]).filter((message) => 'tool_calls' in message);
    expect(calling.length).toBeGreaterThan(0);
    for (const message of calling) expect(message['reasoning_content']).toMatch(/^I read file/);
  });
});

const refused = (message: string, code = 'invalid_request_error'): Error =>
  Object.assign(new Error(`400 ${message}`), {
    status: 400,
    error: { type: 'error', error: { type: code, message } },
  });

/** Refusals in the words of the providers. */
const REFUSALS = {
  anthropic: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  bound:
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  modified:
    'messages.43.content.7: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  openai: 'The encrypted content gAAA...DQ== could not be verified.',
};

/** Sends to a provider that refuses the signatures of `stale`. Returns all requests, and the messages that it took. */
async function sendOver(session: Session, stale: readonly string[], error: Error) {
  const requests: string[] = [];
  const call = session.call(({ messages }) => {
    requests.push(JSON.stringify(messages));
    if (stale.some((one) => requests.at(-1)!.includes(one))) throw error;
    return messages as Wire[];
  });
  return { requests, sent: await call };
}

describe('AC-07: a signature that the provider refuses', () => {
  const wire = [...turn('a', 3), asks('Go on.'), ...loop('b', 3)];
  const stale = thoughtsIn(wire);

  it.each([
    ['claude-opus-5-5', REFUSALS.bound],
    ['claude-opus-4-8', REFUSALS.modified],
    ['claude-sonnet-4-5', REFUSALS.anthropic],
  ])('AC-07: costs its thoughts and one request, but not the session: %s', async (model, message) => {
    const session = (await engine(20_000, {}, { format: 'anthropic', model })).session();
    const warned: string[] = [];
    session.events.subscribe((event: PressureEvent) => {
      if (event.kind === 'warning') warned.push(event.code);
    });
    await session.append(...formats.get('anthropic')!.parse({ messages: wire }).messages);
    const first = await sendOver(session, stale, refused(message));
    expect(first.requests).toHaveLength(2);
    expect(thoughtsIn(first.sent)).toEqual([]);
    expect(first.sent.at(-1)!.content.at(-1)).toMatchObject({ text: '[Go on with the task.]' });
    expect(validateAnthropic({ messages: first.sent, thinking: { type: 'enabled' } })).toEqual([]);
    expect(warned).toEqual(['signature-refused']);
    // Newer thoughts are sent, and no removed thought returns.
    const more = loop('c', 1);
    const parsed = formats.get('anthropic')!.parse({ messages: more }).messages;
    await session.append(...parsed.map((one) => ({ ...one, id: `later ${one.id}` })));
    const second = await sendOver(session, stale, refused(message));
    expect(second.requests).toHaveLength(1);
    expect(thoughtsIn(second.sent)).toEqual(thoughtsIn(more));
    expect(session.operator.history).toEqual([]);
  });

  it('AC-07: is left out again when the client sends its history with it once more', async () => {
    const session = (await engine(20_000, {}, { format: 'anthropic' })).session();
    const body = { model: 'claude-opus-5-5', max_tokens: 100 };
    await session.follow({ ...body, messages: wire });
    expect((await sendOver(session, stale, refused(REFUSALS.bound))).requests).toHaveLength(2);
    const more = [{ role: 'assistant', content: [thinks('anew'), text('Done.')] }, asks('And now?')];
    await session.follow({ ...body, messages: [...wire, ...more] });
    const { requests, sent } = await sendOver(session, stale, refused(REFUSALS.bound));
    expect(requests).toHaveLength(1);
    expect(thoughtsIn(sent)).toEqual(['anew']);
  });

  it('AC-07: is removed within the same call as a refusal for length that follows it', async () => {
    const session = (await engine(60_000, {}, { format: 'anthropic' })).session();
    const long = [...times(8, (i) => turn(`a${i}`, 6)), asks('Go on.')];
    await session.append(...formats.get('anthropic')!.parse({ messages: long }).messages);
    const sizes: number[] = [];
    const answer = session.call(({ messages, reading }) => {
      sizes.push(reading.tokens);
      if (thoughtsIn(messages as Wire[]).length > 0) throw refused(REFUSALS.bound);
      if (reading.tokens > 6_000)
        throw refused(`prompt is too long: ${reading.tokens} tokens > 6000 maximum`);
      return 'done';
    });
    expect(await answer).toBe('done');
    expect(sizes).toHaveLength(3);
  });

  it('AC-07: costs OpenAI’s encrypted reasoning, but none of the calls that it led to', async () => {
    const format = formats.get('openai-responses')!;
    const items = [
      { role: 'user', content: 'Go.' },
      ...times(3, (i) => [...SIGNED_STEPS['openai-responses']!(i)]),
    ];
    const session = (await engine(20_000, {}, { format: format.name })).session();
    await session.append(...format.parse(items).messages);
    const error = refused(REFUSALS.openai, 'invalid_encrypted_content');
    const { requests } = await sendOver(session, ['sealed:'], error);
    expect(requests).toHaveLength(2);
    for (const i of [0, 1, 2]) expect(requests[1]).toContain(`"call_id":"c${i}"`);
  });

  it('AC-07: causes one retry only, and no other error removes a thought', async () => {
    const session = (await engine(20_000, {}, { format: 'anthropic' })).session();
    await session.append(...formats.get('anthropic')!.parse({ messages: wire }).messages);
    const { messages } = await session.prepare();
    const others = [
      refused('messages.1: `tool_use` ids were found without `tool_result` blocks'),
      Object.assign(refused(REFUSALS.anthropic), { status: 500 }),
      Object.assign(refused('Overloaded'), { status: 529 }),
    ];
    const triesOver = async (error: Error): Promise<number> => {
      let tries = 0;
      const call = session.call(() => {
        tries++;
        throw error;
      });
      await expect(call).rejects.toBe(error);
      return tries;
    };
    for (const other of others) expect(await triesOver(other)).toBe(1);
    expect((await session.prepare()).messages).toEqual(messages);
    expect(await triesOver(refused(REFUSALS.anthropic))).toBe(2);
  });

  it.each(Object.entries(REFUSALS))('AC-07: is recognised by the words of its provider: %s', (_, message) => {
    expect(isSignatureRefusal(refused(message))).toBe(true);
    expect(isSignatureRefusal(JSON.stringify({ error: { code: 400, message } }))).toBe(true);
    expect(isSignatureRefusal({ status: 429, message })).toBe(false);
    expect(isSignatureRefusal({ status: 422, detail: [{ msg: message, input: 'what was sent' }] })).toBe(
      false,
    );
  });
});
