import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSpillway, type ConfigSources } from '../../src/index.js';
import { contentOf, type ChatMessage } from '../support/chat.js';

/** A session, cut before its agent acts. */
export interface Exam {
  readonly name: string;
  readonly questions: readonly Question[];
  /** The messages before the cut. */
  readonly history: readonly ChatMessage[];
}

export interface Question {
  readonly id: string;
  /** T1 intent, T2 findings, T3 state, T4 exact strings. */
  readonly kind: string;
  readonly q: string;
  readonly points: readonly string[];
}

interface ExamFile {
  readonly session: string;
  /** The index of the first message that is not replayed. */
  readonly cut: number;
  readonly questions: readonly Question[];
}

export const EXAMS = join('..', 'shared', 'exam', 'exams');

/** The exams of a folder, by name; empty if the folder does not exist. */
export function readExams(folder: string, sessions: string, only?: string): Exam[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => only === undefined || only.split(',').includes(name))
    .map((name) => {
      const { session, cut, questions } = JSON.parse(
        readFileSync(join(folder, `${name}.json`), 'utf8'),
      ) as ExamFile;
      return { name, questions, history: messagesOf(join(sessions, `${session}.jsonl`)).slice(0, cut) };
    });
}

function messagesOf(file: string): ChatMessage[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const parsed = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChatMessage & { kind?: string });
  return parsed.filter(({ kind }) => kind !== 'meta');
}

/** Follows and prepares the whole history before each model call, as an agent does. Returns the last request. */
export async function compacted(
  history: readonly ChatMessage[],
  inputBudget: number,
  sources: Pick<ConfigSources, 'profile' | 'settings'> = {},
): Promise<ChatMessage[]> {
  const live = (await createSpillway({ ...sources, inputBudget })).session();
  let request: ChatMessage[] = [];
  for (let next = 1; next <= history.length; next++) {
    if (next < history.length && history[next]!.role !== 'assistant') continue;
    await live.follow({ messages: history.slice(0, next) });
    request = (await live.prepare()).messages as ChatMessage[];
  }
  return request;
}

/** A request as the text for a reader. */
export const contextOf = (request: readonly ChatMessage[]): string =>
  request.map((message) => `=== ${message.role}\n${wordsOf(message)}`).join('\n');

export function wordsOf(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map(
    (call) => `${call.function?.name} ${call.function?.arguments}`,
  );
  return [contentOf(message), ...calls].join('\n');
}
