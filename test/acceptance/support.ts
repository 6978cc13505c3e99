import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { main } from '../../src/faces/cli/main.js';
import type { Terminal } from '../../src/faces/cli/terminal.js';
import { createSpillway, openaiChat } from '../../src/index.js';
import type {
  ConfigSources,
  Message,
  Part,
  Session,
  SpillwayOptions,
  Summarizer,
  SummaryRequest,
  ViewMessage,
} from '../../src/index.js';
import { prose, quarter, says, user, type Chat } from '../support/chats.js';

export * from '../support/chats.js';

/** An engine whose budget is exactly `budget` tokens of `quarter`. */
export function engine(
  budget: number,
  settings: ConfigSources['settings'] = {},
  more: Omit<SpillwayOptions, 'settings'> = {},
) {
  return createSpillway({
    counter: quarter,
    inputBudget: budget,
    settings: { safetyMargin: 0, ...settings },
    ...more,
  });
}

/** Questions and answers of this many tokens each. */
export function talk(turns: number, tokens: number, seed = 100): Chat[] {
  return Array.from({ length: turns }, (_, i) => [
    user(`Question ${i}: ${prose(tokens, seed + 2 * i)}`),
    says(`Answer ${i}: ${prose(tokens, seed + 2 * i + 1)}`),
  ]).flat();
}

/** The messages as the library takes them; ids are `m0`, `m1`, … */
export const read = (chat: readonly Chat[]): readonly Message[] => openaiChat.parse(chat).messages;

export async function sessionOf(
  budget: number,
  chat: readonly Chat[],
  settings?: ConfigSources['settings'],
  more?: Omit<SpillwayOptions, 'settings'>,
): Promise<Session> {
  const session = (await engine(budget, settings, more)).session();
  await session.append(...read(chat));
  return session;
}

/** A last user message that brings the session to a pressure; it comes before anything has been prepared. */
export function fill(session: Session, pressure: number, seed = 900): void {
  const { tokens, budget } = session.reading;
  const frame = 4;
  const content = prose(Math.round(pressure * budget.tokens) - tokens - frame, seed);
  session.append(said(`fill${seed}`, content));
}

/** As `fill`, to this many tokens as the session's model counts them. */
export function fillTo(session: Session, tokens: number, seed = 900): void {
  const { tokens: before, scale, budget } = session.reading;
  fill(session, (before + (tokens - before) / scale) / budget.tokens, seed);
}

/** The request at this pressure: a last message of the user fills the session to it. */
export async function preparedAt(session: Session, pressure: number, seed?: number) {
  fill(session, pressure, seed);
  return session.prepare();
}

/** Names of the stages that opened, in order. Steps of the pipeline itself have no gate. */
export const opened = (run: { readonly stages: readonly { stage: string; opensAt: number }[] }): string[] =>
  run.stages.filter(({ opensAt }) => opensAt > 0).map(({ stage }) => stage);

/** Everything a message says, calls and results included. */
export function wordsOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** A message of the user, as the library takes it. */
export const said = (id: string, text = 'Hm.'): Message => ({
  id,
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
});

/** A message of the model. */
export const answered = (id: string, text: string): Message => ({
  id,
  role: 'assistant',
  origin: 'model',
  parts: [{ type: 'text', text }],
});

/** The messages of a session's log. */
export const logged = ({ log }: Session) => Array.from({ length: log.length }, (_, seq) => log.at(seq));

/** The words of a view message, parts joined. */
export function shownText({ message }: ViewMessage): string {
  return message.parts
    .flatMap((part): readonly Part[] => (part.type === 'tool-result' ? part.content : [part]))
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
}

const WRITTEN = 'Written by the summarizer: the user asked about the river, and was answered.';

/** A summarizer of the host that answers at once, and the requests that it got. */
export function writer(
  write: (request: SummaryRequest, nth: number) => string = () => WRITTEN,
  more: Partial<Summarizer> = {},
) {
  const asked: SummaryRequest[] = [];
  const summarizer: Summarizer = {
    name: 'ours',
    endpoint: 'here',
    summarize: async (request) => {
      asked.push(request);
      return { text: write(request, asked.length), finishReason: 'stop' };
    },
    ...more,
  };
  return { summarizer, asked };
}

/** A folder for this test file; it is removed afterwards. */
export function temporaryFolder(): {
  file(name: string, content: string | Uint8Array): string;
  path: string;
} {
  const path = mkdtempSync(join(tmpdir(), 'spillway-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    file(name, content) {
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
  };
}

export const jsonLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line as the shell would; it sees only the environment that is passed in. */
export async function spillway(
  args: readonly string[],
  env: Record<string, string> = {},
  onWrite: (text: string) => void = () => {},
): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => {
      onWrite(text);
      out += text;
    },
    err: (text) => void (err += text),
    note: (line) => void (err += `${line}\n`),
    interactive: false,
    paint: pc.createColors(false),
    env: { SPILLWAY_COUNTER: 'heuristic', ...env },
  };
  const code = await main(['node', 'spillway', ...args], terminal);
  return { code, out, err };
}

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
