import { z } from 'zod';
import { contentText, type ChatMessage } from './rival.js';
import { hashOf, type State } from './state.js';

export const question = z.object({
  id: z.string(),
  /** The subject of the question, by which grades are reported: intent, findings, state, exact strings. */
  kind: z.string(),
  q: z.string(),
  key: z.string(),
  points: z.array(z.string()).default([]),
});
type Question = z.infer<typeof question>;

/** A chat completions interface, which many providers offer. */
export interface Endpoint {
  readonly url: string;
  readonly key?: string;
}

export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Examiner = ReturnType<typeof createExaminer>;
export type Grades = Readonly<Record<string, number>>;

/** A model may think for a long time. */
const ANSWER_LIMIT_MS = 300_000;

const READER = `You take over another agent's work. You see what it would have been sent, and nothing else.
Answer each question from that context alone, in one to three sentences. Say "unknown" where the context does not say.
Where you guess, add "(guess)". Answer with one JSON object: each question's id, and your answer as a string.`;

const GRADER = `You grade answers against a key. Each key has points.
1: all points, and nothing wrong that matters. 0.5: half of the points, or the core with a slip; an answer marked as a guess has 0.5 at
most. 0: anything else, "unknown" too. Answer with one JSON object: each question's id, and its grade as a number.`;

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).partial().nullish(),
});
const grade = z.union([z.literal(0), z.literal(0.5), z.literal(1)]);

/** A reader and a grader behind an endpoint. Their answers are kept in the state, so that none is paid for twice. */
export function createExaminer(
  endpoint: Endpoint,
  models: { readonly reader: string; readonly grader: string },
  state: State,
) {
  const usage: Record<string, Usage> = {};

  async function askModel<T>(
    model: string,
    system: string,
    user: string,
    replicate: number,
    answers: z.ZodType<T>,
  ): Promise<T> {
    const key = hashOf('asked', model, system, user, replicate);
    const reply = await state.remember(key, async () => {
      const { text, tokens } = await complete(endpoint, model, system, user);
      // Parsed before it is kept, so that an unreadable answer is requested again.
      return { answer: answers.parse(jsonIn(text)), tokens };
    });
    const before = usage[model] ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
    usage[model] = {
      calls: before.calls + 1,
      inputTokens: before.inputTokens + reply.tokens.input,
      outputTokens: before.outputTokens + reply.tokens.output,
    };
    return reply.answer;
  }

  return {
    /** Usage by model: of this run, and of the state that the run continues. */
    usage,
    /** The grade of each question (0, 0.5 or 1) in one reading. Rejects if a model gives no readable answer. */
    async examine(context: string, questions: readonly Question[], replicate: number): Promise<Grades> {
      const list = questions.map(({ id, q }) => `${id}: ${q}`).join('\n');
      const reading = `<context>\n${context}\n</context>\n\nQuestions:\n${list}`;
      const answers = await askModel(
        models.reader,
        READER,
        reading,
        replicate,
        z.record(z.string(), z.string()),
      );
      // The grader sees neither the context nor the policy.
      const sheet = questions.map(({ id, q, key, points }) => ({
        id,
        question: q,
        key,
        points,
        answer: answers[id] ?? 'unknown',
      }));
      const ids = z.object(Object.fromEntries(questions.map(({ id }) => [id, grade])));
      return askModel(models.grader, GRADER, JSON.stringify(sheet, undefined, 1), replicate, ids);
    },
  };
}

async function complete({ url, key }: Endpoint, model: string, system: string, user: string) {
  const response = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${model} answered ${response.status}: ${body.slice(0, 200)}`);
  const { choices, usage } = completion.parse(JSON.parse(body));
  const tokens = { input: usage?.prompt_tokens ?? 0, output: usage?.completion_tokens ?? 0 };
  return { text: choices[0]!.message.content, tokens };
}

/** The object in an answer, which may have text or a code fence around it. */
function jsonIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) throw new Error(`no JSON object in the answer: ${text.slice(0, 120)}`);
  return JSON.parse(text.slice(from, to + 1));
}

/** A request of chat messages as text for the reader. */
export function asContext(messages: readonly unknown[]): string {
  return (messages as readonly ChatMessage[])
    .map((message, at) => {
      const calls = (message['tool_calls'] ?? []) as readonly {
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
      const callLines = calls.map((call) => `${call.function?.name} ${call.function?.arguments}`);
      return [`=== [${at}] ${String(message['role'])}`, contentText(message['content']), ...callLines]
        .filter((line) => line !== '')
        .join('\n');
    })
    .join('\n');
}
