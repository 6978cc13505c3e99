import { recallTool } from '../../session/index.js';
import { isFields, listOf, type Fields } from '../../formats/index.js';
import { AnswerParts, isRecall, toldApart } from './ai-sdk-parts.js';
import {
  NO_STEP,
  restoredMessage,
  ShownWords,
  summed,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from '../endpoints/index.js';

const { name, description, parameters } = recallTool;

/** The recall tool in what a model of the AI SDK is called with. */
export const AI_SDK_RECALL: RecallWire = {
  field: 'messages',
  tool: { type: 'function', name, description, inputSchema: parameters },
  // Words before a recall would be no part of the JSON that is asked for.
  takes: ({ toolChoice, responseFormat }) =>
    !(isFields(toolChoice) && toolChoice.type === 'none') &&
    !(isFields(responseFormat) && responseFormat.type === 'json'),
  noTools: { toolChoice: { type: 'none' } },
  step: ({ content, finishReason }) => toldApart(content).parts.step(isCut(finishReason)),
  restored(messages, { calls, whole: [whole] }) {
    const ids = new Set(calls.map(({ id }) => id));
    const isOf = ({ role, content }: Fields): boolean =>
      role === 'assistant' &&
      listOf(content).some((part) => isFields(part) && ids.has(String(part.toolCallId)));
    const partsOf = (message: unknown): readonly unknown[] =>
      listOf((message as Fields | undefined)?.content);
    // Thoughts that a compaction took out stay out: their signature vouches for what is no longer sent.
    return restoredMessage(messages, isOf, (message) =>
      partsOf(message).some(isThought)
        ? whole
        : { ...(whole as Fields), content: partsOf(whole).filter((part) => !isThought(part)) },
    );
  },
  results: (calls, texts) => [
    {
      role: 'tool',
      content: calls.map(({ id }, at) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: recallTool.name,
        output: { type: 'text', value: texts[at] },
      })),
    },
  ],
  visible(answers) {
    const last = answers.at(-1)!;
    const told = answers.map(({ content }) => toldApart(content));
    return {
      ...last,
      content: spaced(told.map(({ shown }) => shown)),
      usage: answers.map(({ usage }) => usage).reduce(summed),
      finishReason: told.at(-1)!.parts.hasOthers ? last.finishReason : withoutCalls(last.finishReason),
    };
  },
  stream: () => new AiSdkStream(),
};

/** The parts of several answers, their words kept apart. */
function spaced(answers: readonly (readonly Fields[])[]): readonly Fields[] {
  const words = new ShownWords();
  return answers.flatMap((parts) => {
    words.goOn();
    return parts.map((part) =>
      part.type === 'text' ? { ...part, text: words.take(String(part.text)) } : part,
    );
  });
}

/** Whether a limit or a filter ended an answer; one word in earlier versions of the SDK. */
function isCut(reason: unknown): boolean {
  const why = isFields(reason) ? reason.unified : reason;
  return why === 'length' || why === 'content-filter';
}

/** Whether an answer failed or broke off, which is one word in earlier versions of the SDK. */
function hasFailed({ finishReason: reason }: Fields): boolean {
  if (!isFields(reason)) return reason === 'error' || reason === 'unknown';
  return reason.unified === 'error' || (reason.unified === 'other' && reason.raw === undefined);
}

const FIRST_ONLY: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata']);

class AiSdkStream implements RecallStream {
  readonly #begun = new Set<unknown>();
  #usage: unknown;
  #finish: Fields | undefined;
  /** The answer under way, and which of the client's stream it is. */
  #parts = new AnswerParts();
  #answer = 0;
  #hasOthers = false;
  readonly #ownInputs = new Set<unknown>();
  /** Thoughts and words that are being told, and events of thoughts that are held. */
  #telling = new Map<unknown, { text: string; providerMetadata?: unknown }>();
  #held: Fields[] = [];
  readonly #words = new ShownWords();

  *take(event: Fields): Iterable<Fields> {
    const { type } = event;
    if (FIRST_ONLY.has(type)) {
      if (!this.#begun.has(type)) yield event;
      this.#begun.add(type);
    } else if (type === 'finish') {
      this.#usage = this.#usage === undefined ? event.usage : summed(this.#usage, event.usage);
      this.#finish = event;
    } else if (type === 'raw' || type === 'error') yield event;
    else if (String(type).startsWith('reasoning-') && type !== 'reasoning-file') this.#think(event);
    else if (isOwnInput(event, this.#ownInputs)) this.#ownInputs.add(event.id);
    else yield* this.#part(event);
  }

  endAnswer(): RecallStep {
    this.#parts.end();
    const finish = this.#finish;
    const step = finish && !hasFailed(finish) ? this.#parts.step(isCut(finish.finishReason)) : NO_STEP;
    if (step.calls.length > 0) this.#held = [];
    this.#hasOthers = this.#parts.hasOthers;
    this.#parts = new AnswerParts();
    this.#telling = new Map();
    this.#answer++;
    return step;
  }

  goOn(): void {
    this.#finish = undefined;
    this.#words.goOn();
  }

  *finish(): Iterable<Fields> {
    yield* this.#released();
    if (!this.#finish) return;
    const { finishReason } = this.#finish;
    const reason = this.#hasOthers ? finishReason : withoutCalls(finishReason);
    yield { ...this.#finish, finishReason: reason, usage: this.#usage };
  }

  #think(event: Fields): void {
    const told = this.#told(event, 'reasoning-delta');
    this.#held.push(this.#numbered(event));
    if (event.type === 'reasoning-end') this.#parts.take({ type: 'reasoning', ...told });
  }

  *#part(event: Fields): Iterable<Fields> {
    // What comes before words is shown with them.
    this.#parts.take(event);
    if (isText(event)) {
      const told = this.#told(event, 'text-delta');
      if (event.type === 'text-end') this.#parts.keep({ type: 'text', ...told });
    }
    if (isRecall(event)) return;
    yield* this.#released();
    const shown = this.#numbered(event);
    yield event.type === 'text-delta' ? { ...shown, delta: this.#words.take(String(event.delta)) } : shown;
  }

  #told(event: Fields, delta: string): { text: string; providerMetadata?: unknown } {
    const name = `${delta} ${String(event.id)}`;
    const isNew = String(event.type).endsWith('-start');
    const told = (isNew ? undefined : this.#telling.get(name)) ?? { text: '' };
    if (event.type === delta) told.text += String(event.delta);
    if (event.providerMetadata !== undefined) told.providerMetadata = event.providerMetadata;
    this.#telling.set(name, told);
    return told;
  }

  #released(): readonly Fields[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** Blocks of several answers stand in one stream: each keeps a name of its own. */
  #numbered(event: Fields): Fields {
    const isBlock = /^(text|reasoning)-(start|delta|end)$/.test(String(event.type));
    return isBlock && this.#answer > 0 ? { ...event, id: `${this.#answer}-${String(event.id)}` } : event;
  }
}

const isThought = (part: unknown): boolean => isFields(part) && part.type === 'reasoning';

const isText = ({ type }: Fields): boolean => String(type).startsWith('text-');
function isOwnInput({ type, id, toolName }: Fields, known: ReadonlySet<unknown>): boolean {
  return type === 'tool-input-start'
    ? toolName === recallTool.name
    : String(type).startsWith('tool-input') && known.has(id);
}

/** Why an answer ended whose calls were all answered here; one word in earlier versions of the SDK. */
function withoutCalls(reason: unknown): unknown {
  if (reason === 'tool-calls') return 'stop';
  return isFields(reason) && reason.unified === 'tool-calls' ? { ...reason, unified: 'stop' } : reason;
}
