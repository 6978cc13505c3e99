import { AIMessage, ChatMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { BaseMessage, ToolMessage } from '@langchain/core/messages';
import { compactLangChain } from '../../src/faces/adapters/index.js';
import { validateLangChain } from '../../src/testkit/index.js';
import { engine, temporaryFolder } from './support.js';

/** The messages that LangChain's model gets of a history, in a process that starts on this store. */
async function sent(store: string, messages: readonly unknown[]): Promise<BaseMessage[]> {
  const spillway = await engine(3_000, {}, { store, format: 'langchain' });
  const middleware = compactLangChain(await spillway.open({ id: 'mill' }));
  let asked: BaseMessage[] = [];
  const request = { model: {}, messages, systemMessage: new SystemMessage(''), tools: [] };
  await middleware.wrapModelCall(request, (given: { readonly messages: BaseMessage[] }) => {
    asked = given.messages;
    return new AIMessage('Built.');
  });
  await spillway.close();
  expect(validateLangChain(asked)).toEqual([]);
  return asked;
}

const TYPES: Record<string, string> = { user: 'human', assistant: 'ai' };

const said = (list: readonly BaseMessage[]) =>
  list.map((message) => {
    const { role, content, additional_kwargs, tool_calls, tool_call_id } = message as ToolMessage &
      AIMessage &
      ChatMessage;
    const type = TYPES[role] ?? message.getType();
    return { type, content, additional_kwargs, calls: tool_calls ?? [], tool_call_id };
  });

const own = { id: 'c', name: 'look', args: { at: 1 }, type: 'tool_call' };
const chat = { id: 'd', type: 'function', function: { name: 'look', arguments: '{"at":2}' } };

const LISTS: readonly (readonly [string, () => unknown[], string])[] = [
  [
    'bare messages that name their speaker by `role`',
    () => [
      new HumanMessage('Mill?'),
      { role: 'assistant', content: 'Which one?' },
      { role: 'developer', content: 'Never name the miller.' },
      { role: 'user', content: 'The old one.' },
      { role: 'assistant', content: '', tool_calls: [own] },
      { role: 'tool', tool_call_id: 'c', content: 'Sacks.' },
      { role: 'assistant', content: '', tool_calls: [chat] },
      { role: 'tool', tool_call_id: 'd', content: 'Flour.' },
      { type: 'human', role: 'assistant', content: 'Sacks and flour.' },
      new HumanMessage('Go on.'),
    ],
    'human ai system human ai tool ai tool ai human',
  ],
  [
    'messages of no class but a role',
    () => [
      new HumanMessage('Mill?'),
      new ChatMessage('Which one?', 'assistant'),
      new ChatMessage('The old one.', 'user'),
      new AIMessage('Sacks and flour.'),
      new HumanMessage('Go on.'),
    ],
    'human ai human ai human',
  ],
];

const folder = temporaryFolder();

describe.each(LISTS)('N13: LangChain: %s', (_, list, types) => {
  it('N13: are sent in the same way after a restart', async () => {
    const store = `sqlite:${folder.file(`${types.length}.db`, '')}`;
    const before = said(await sent(store, list()));
    expect(before.map(({ type }) => type)).toEqual(types.split(' '));
    expect(said(await sent(store, list()))).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('unknown');
  });
});
