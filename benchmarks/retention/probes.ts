import { existsSync, readFileSync } from 'node:fs';
import type { ChatMessage } from '../support/chat.js';
import { referenceCount } from '../support/reference-count.js';
import { sessionsOf, type BenchSession } from '../support/sessions.js';
import { anchorsOf, type Anchors } from './anchors.js';

/** A fact that the agent needed again. */
export interface Probe {
  readonly fact: string;
  readonly kind: string;
  /** `strong`, `medium`, `weak`; `locomo` for the answer to a question about a conversation. */
  readonly strength: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** The message that could not have been written without the fact. */
  readonly reusedAt: number;
  readonly anchors: Anchors;
}

export interface ProbedSession extends BenchSession {
  readonly chat: readonly ChatMessage[];
  /** Reference count of the messages before each message, and of all messages at the end. */
  readonly tokensBefore: readonly number[];
  readonly probes: readonly Probe[];
}

interface Reuse {
  readonly fact: string;
  readonly kind: string;
  readonly strength: string;
  readonly first_seen: number;
  readonly last_seen: number;
  readonly reused_at: number;
}

interface Question {
  readonly question: string;
  readonly answer?: string | number;
  readonly evidence: readonly number[];
  readonly category_name: string;
}

export async function* probedSessions(folder: string, only?: string): AsyncGenerator<ProbedSession> {
  for await (const session of sessionsOf(folder, only)) {
    const file = session.file.replace(/\.jsonl$/, '.probes.jsonl');
    if (!existsSync(file)) continue;
    const chat = session.messages.map((message) => message.wire as ChatMessage);
    const tokensBefore = [0];
    for (const message of chat) tokensBefore.push(tokensBefore.at(-1)! + referenceCount([message]));
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const probes = lines.flatMap((line) => probesOf(JSON.parse(line) as Reuse | Question, chat));
    yield { ...session, chat, tokensBefore, probes };
  }
}

function probesOf(line: Reuse | Question, chat: readonly ChatMessage[]): Probe[] {
  return 'fact' in line ? [reuseOf(line, chat)] : answersOf(line, chat);
}

function reuseOf(line: Reuse, chat: readonly ChatMessage[]): Probe {
  const { fact, kind, strength, first_seen: firstSeen, last_seen: lastSeen, reused_at: reusedAt } = line;
  const anchors = anchorsOf(fact, chat, [lastSeen, firstSeen]);
  return { fact, kind, strength, firstSeen, lastSeen, reusedAt, anchors };
}

/** Answers that are word for word in their evidence; the question is asked at the last call of the conversation. */
function answersOf(line: Question, chat: readonly ChatMessage[]): Probe[] {
  const fact = String(line.answer ?? '');
  const reusedAt = chat.findLastIndex(({ role }) => role === 'assistant');
  const evidence = line.evidence.filter((index) => index < reusedAt);
  if (fact.length < 3 || evidence.length === 0) return [];
  const anchors = anchorsOf(fact, chat, evidence);
  if (anchors.lines.length === 0) return [];
  const kind = line.category_name;
  return [
    {
      fact,
      kind,
      strength: 'locomo',
      firstSeen: evidence[0]!,
      lastSeen: evidence.at(-1)!,
      reusedAt,
      anchors,
    },
  ];
}
