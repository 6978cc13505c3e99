import { join } from 'node:path';
import { typeFaults } from './compilers.js';
import { readmeProgram } from './doors.js';
import { copyOf, type Packed } from './project.js';

interface Program {
  /** Packages in addition to spillway, as `copyOf` takes them. */
  readonly packages: readonly string[];
  readonly text: string;
}

const HEAD = `import { createSpillway } from 'spillway';
  const spillway = await createSpillway({ inputBudget: 8_000 });`;

/** Programs that need one client, each in a project with only that client. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  library: {
    packages: [],
    text: `${HEAD}
      import type { Plan, Session } from 'spillway';
      import * as spi from 'spillway/spi';
      import * as transcript from 'spillway/transcript';
      import * as testkit from 'spillway/testkit';
      import { readSession } from 'spillway/importers';
      const session: Session = spillway.session();
      session.events.subscribe((event) => { if (event.kind === 'completed') console.log(event.tokensAfter.toFixed()); });
      const { messages }: { readonly messages: readonly unknown[] } = await session.prepare();
      export const all: [typeof spi, typeof transcript, typeof testkit, typeof readSession] = [spi, transcript, testkit, readSession];
      export const plans: Plan[] = session.operator.history.map(({ plan }) => plan);
      export { messages };`,
  },
  openai: {
    packages: ['openai'],
    text: `${HEAD}
      import OpenAI from 'openai';
      import { compactOpenAI } from 'spillway/openai';
      const client: OpenAI = compactOpenAI(new OpenAI(), { chat: spillway.session() });
      const { choices } = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello.' }] });
      console.log(choices[0]?.message.content?.length);
      const chat = await spillway.session<OpenAI.ChatCompletionMessageParam>().prepare();
      await client.chat.completions.create({ model: 'm', messages: chat.messages });
      const items = spillway.session<OpenAI.Responses.ResponseInputItem>({ format: 'openai-responses' });
      const answer = await items.call(({ messages: input }) => client.responses.create({ model: 'm', input }));
      console.log(answer.output_text);`,
  },
  anthropic: {
    packages: ['@anthropic-ai/sdk'],
    text: `${HEAD}
      import Anthropic from '@anthropic-ai/sdk';
      import { compactAnthropic } from 'spillway/anthropic';
      const client: Anthropic = compactAnthropic(new Anthropic(), spillway.session({ format: 'anthropic' }));
      const { content } = await client.messages.create({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] });
      console.log(content.length);
      const session = spillway.session<Anthropic.MessageParam>({ format: 'anthropic' });
      const { messages, beside } = await session.prepare();
      const answer = await client.messages.create({ model: 'm', max_tokens: 9, ...beside, messages });
      console.log(answer.content.length);`,
  },
  readme: { packages: ['openai'], text: readmeProgram() },
  'ai-sdk-6': { packages: ['ai', '@ai-sdk/openai'], text: aiSdk() },
  'ai-sdk-7': { packages: ['ai=ai7', '@ai-sdk/openai=@ai-sdk/openai4'], text: aiSdk() },
  langchain: {
    packages: ['langchain', '@langchain/core', '@langchain/openai'],
    text: `${HEAD}
      import type { BaseMessage } from '@langchain/core/messages';
      import { ChatOpenAI } from '@langchain/openai';
      import { createAgent, createMiddleware } from 'langchain';
      import { compactLangChain } from 'spillway/langchain';
      const named = spillway.sessionMap({ format: 'langchain' });
      const byThread = compactLangChain(named.by(({ runtime }) => runtime?.configurable?.thread_id));
      const middleware = [createMiddleware(byThread)];
      const agent = createAgent({ model: new ChatOpenAI({ model: 'm' }), tools: [], middleware });
      console.log((await agent.invoke({ messages: 'Hello.' })).messages.length);
      const threads = spillway.sessionMap<BaseMessage>({ format: 'langchain' });
      const { messages } = await (await threads.of('mill')).prepare();
      console.log((await new ChatOpenAI({ model: 'm' }).invoke(messages)).text);`,
  },
  container: {
    packages: ['inversify', 'reflect-metadata'],
    text: `
      import { Container } from 'inversify';
      import { createSpillway, type SpillwayOptions } from 'spillway';
      import { createContainer, openSpillway, SERVICES } from 'spillway/container';
      const options: SpillwayOptions = {};
      const container: Container = createContainer();
      const one = await openSpillway(container);
      console.log(container.get(SERVICES.Spillway) === one, (await createSpillway(options)).stages.length);`,
  },
};

function aiSdk(): string {
  return `${HEAD}
    import { createOpenAI } from '@ai-sdk/openai';
    import { generateText, wrapLanguageModel, type ModelMessage } from 'ai';
    import { compactAiSdk } from 'spillway/ai-sdk';
    const middleware = compactAiSdk(spillway.session({ format: 'ai-sdk' }));
    const model = wrapLanguageModel({ model: createOpenAI()('m'), middleware });
    console.log((await generateText({ model, prompt: 'Hello.' })).text.length);
    const { messages } = await spillway.session<ModelMessage>({ format: 'ai-sdk' }).prepare();
    console.log((await generateText({ model, messages })).text.length);`;
}

/** Checks types strictly, including the declarations of libraries, with Node's resolution and with a bundler's. */
export function checkTypes(packed: Packed): string[] {
  const bare = join(packed.folder, 'bare');
  return Object.entries(PROGRAMS).flatMap(([name, { packages, text }]) => {
    const project = copyOf(bare, packed, `types-${name}`, packages);
    return typeFaults(project, { 'index.ts': text }).map((fault) => `${name}: ${fault}`);
  });
}
