import { existsSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { formats } from '../../src/formats/index.js';
import { readSession } from '../../src/faces/importers/index.js';
import type { WireFormat } from '../../src/spi/index.js';
import { Dice, historyOf } from '../../src/testkit/index.js';
import type { Message } from '../../src/transcript/index.js';
import { everything as geminiBody, snake } from '../support/gemini.js';
import { histories as careless } from '../support/histories.js';
import { everything as responsesBody } from '../support/responses.js';
import { everything as aiSdkMessages } from '../unit/formats/ai-sdk/requests.js';
import { everything as anthropicBody } from '../unit/formats/anthropic/bodies.js';
import { histories as chatHistories } from '../unit/formats/histories.js';
import { everything as langchainMessages } from '../unit/formats/langchain/requests.js';
import { viewsOf } from './views.js';

/** A history whose requests are hashed; its name is the key of its hashes. */
export interface Case {
  readonly name: string;
  readonly seed: number;
  readonly messages: readonly Message[];
}

const BUNDLED = 'examples/sessions/pressure-gauge.jsonl';
const CORPUS = '../shared/corpus/sessions';

/** The suite's cases: generated histories, bodies that hold everything once, and the demonstration's session. */
export async function committedCases(): Promise<Case[]> {
  return [...generated(), ...spoken(), ...bodies(), await recorded('pressure-gauge', BUNDLED)];
}

/** The recorded sessions next to the repository, one after the other, if there are any. */
export async function* corpusCases(): AsyncGenerator<Case> {
  if (!existsSync(CORPUS)) return;
  for (const file of readdirSync(CORPUS).sort())
    if (file.endsWith('.jsonl') && !file.endsWith('.probes.jsonl'))
      yield await recorded(file, `${CORPUS}/${file}`);
}

async function recorded(name: string, path: string): Promise<Case> {
  return { name, seed: 1, messages: (await readSession(path)).parsed.messages };
}

/** Logs without any format's objects, as careless agents leave them. */
function generated(): Case[] {
  const told = seeds(60).map((seed) => historyOf({ seed, length: 3 + (seed % 37) }));
  const loose = fc.sample(careless(30), { seed: 7, numRuns: 40 });
  return [...named('generated', told), ...named('careless', loose)];
}

/** The same histories in each format's own objects: written in the format, disturbed, and read back. */
function spoken(): Case[] {
  const chats = fc.sample(chatHistories, { seed: 7, numRuns: 40 });
  const chat = formats.get('openai-chat')!;
  return [
    ...named(
      'chat',
      chats.map((body) => chat.parse(body).messages),
    ),
    ...[...formats.values()].flatMap((format) =>
      named(
        `disturbed ${format.name}`,
        seeds(30).map((seed) => disturbed(format, seed)),
      ),
    ),
  ];
}

function bodies(): Case[] {
  const all: readonly (readonly [name: string, format: string, body: unknown])[] = [
    ['anthropic', 'anthropic', anthropicBody()],
    ['ai-sdk', 'ai-sdk', aiSdkMessages()],
    ['langchain', 'langchain', langchainMessages()],
    ['openai-responses', 'openai-responses', responsesBody()],
    ['gemini', 'gemini', geminiBody()],
    ['gemini in snake_case', 'gemini', snake()],
  ];
  return all.flatMap(([name, format, body], seed) => {
    const { parse } = formats.get(format)!;
    const junk = seeds(40).map((one) => parse(junkIn(body, new Dice(one))).messages);
    return [
      { name: `everything, ${name}`, seed, messages: parse(body).messages },
      ...named(`junk, ${name}`, junk),
    ];
  });
}

const JUNK: readonly unknown[] = [null, 7, true, '', 'x', 'half \ud83d', [], {}, [null], { type: 'strange' }];
/** Fields without which a body has no format. */
const NEEDED: ReadonlySet<string> = new Set(['contents', 'input', 'kwargs', 'messages', 'parts', 'role']);

/** The same body as JSON, with some fields missing or of another type. */
function junkIn(body: unknown, dice: Dice): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => {
      if (key === '' || /^\d+$/.test(key) || NEEDED.has(key) || !dice.hits(0.06)) return value;
      return dice.hits(0.3) ? undefined : dice.pick(JUNK);
    }),
  );
}

/** A body of this format in which items are missing, doubled, exchanged, or have lost their ids. */
function disturbed(format: WireFormat, seed: number): readonly Message[] {
  const dice = new Dice(seed);
  const [view] = viewsOf(historyOf({ seed, length: 3 + (seed % 25) }), seed);
  const { messages, beside } = format.serialise(view!);
  const items = messages.flatMap((item): unknown[] => {
    if (dice.hits(0.06)) return [];
    if (dice.hits(0.05)) return [item, item];
    return [dice.hits(0.08) ? withoutIds(item) : item];
  });
  if (items.length > 1 && dice.hits(0.5)) {
    const at = dice.whole(0, items.length - 2);
    [items[at], items[at + 1]] = [items[at + 1], items[at]];
  }
  return format.parse({ ...beside, [format.messagesField]: items.length > 0 ? items : messages }).messages;
}

function withoutIds(item: unknown): unknown {
  return JSON.parse(
    JSON.stringify(item, (key, value: unknown) => (/(^id|_id|Id)$/.test(key) ? undefined : value)),
  );
}

function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function named(name: string, histories: readonly (readonly Message[])[]): Case[] {
  return histories.map((messages, at) => ({ name: `${name} ${at + 1}`, seed: at + 1, messages }));
}
