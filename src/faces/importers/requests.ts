import type { Notice, WireFormat } from '../../spi/index.js';
import { fieldsOf, formats, isFields, isKnownRole, kindOf, type Fields } from '../../formats/index.js';
import { fieldsIn } from './parts.js';
import type { ImportedSession, SessionReader } from './recording.js';

/* Requests: how each wire format is recognised, and how requests are read. */

/** The marks of a wire format in a body and in a single message or item. No other format has these marks. */
interface WireMarks {
  readonly format: string;
  readonly body: (body: Fields) => boolean;
  readonly item: (item: Fields) => boolean;
}

const ANTHROPIC_BLOCKS = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use'];
const AI_SDK_PARTS = ['tool-call', 'tool-result', 'tool-approval-request', 'tool-approval-response'];
const RESPONSES_PARTS = ['input_text', 'output_text', 'input_image', 'input_file'];
const RESPONSES_ITEMS = /^(function|custom_tool|local_shell|computer|shell|apply_patch)_call(_output)?$/;
const LANGCHAIN_TYPES = ['human', 'ai', 'AIMessageChunk', 'HumanMessage', 'AIMessage', 'ToolMessage'];

/** The most certain marks first. A request without any mark is chat. */
const MARKS: readonly WireMarks[] = [
  {
    format: 'gemini',
    body: (body) => Array.isArray(body.contents),
    item: (item) => Array.isArray(item.parts) && item.content === undefined && item.info === undefined,
  },
  {
    format: 'openai-responses',
    body: (body) => body.input !== undefined && !Array.isArray(body.messages),
    item: (item) =>
      (typeof item.type === 'string' && RESPONSES_ITEMS.test(item.type)) ||
      (item.type === 'reasoning' && item.role === undefined) ||
      hasPart(item, RESPONSES_PARTS),
  },
  {
    format: 'langchain',
    body: (body) => LIST_FIELDS.some((field) => fieldsIn(body[field]).some(isLangChain)),
    item: isLangChain,
  },
  {
    format: 'anthropic',
    // In addition to messages, only Anthropic's body has the system prompt, and only its tools name their schema so.
    body: (body) =>
      Array.isArray(body.messages) &&
      (typeof body.system === 'string' ||
        Array.isArray(body.system) ||
        fieldsIn(body.tools).some((tool) => isFields(tool.input_schema))),
    item: (item) => hasPart(item, ANTHROPIC_BLOCKS) || hasSource(item),
  },
  {
    format: 'ai-sdk',
    body: (body) => Array.isArray(body.prompt),
    item: (item) => item.role !== undefined && (hasPart(item, AI_SDK_PARTS) || hasMediaType(item)),
  },
];

const LIST_FIELDS = ['messages', 'contents', 'input', 'prompt'] as const;

/** The format of requests without marks, because it is the most widely used. */
const UNMARKED = 'openai-chat';

/** The wire format of a body or a list of messages; undefined if the value holds no messages at all. */
export function wireOf(value: unknown): string | undefined {
  if (isFields(value)) {
    // A single message, as on a line of JSON Lines, is no body. A custom tool's call has an `input` too.
    if (!isBody(value) && (value.input === undefined || isItem(value))) return undefined;
    const marked = MARKS.find(({ body }) => body(value))?.format;
    return marked ?? (Array.isArray(value.messages) ? wireOf(value.messages) : undefined);
  }
  if (!Array.isArray(value)) return undefined;
  const [marked] = fieldsIn(value).flatMap((one) => MARKS.find(({ item }) => item(one))?.format ?? []);
  return marked ?? UNMARKED;
}

/** An object with a list of messages of any kind. */
function isBody(value: unknown): boolean {
  return isFields(value) && LIST_FIELDS.some((field) => Array.isArray(value[field]));
}

/** Reads a body or a list of messages; undefined if the value is in no wire format. */
export function readWire(value: unknown, expected?: WireFormat): ImportedSession | undefined {
  const format = expected ?? formats.get(wireOf(value) ?? '');
  if (!format) return undefined;
  return {
    detected: { name: format.name, mark: 'the file is a request, or a list of messages, in this format' },
    parsed: format.parse(value),
  };
}

/** Whether a single object looks like a message of some wire format. */
export function isItem(value: unknown): boolean {
  if (!isFields(value)) return false;
  return isKnownRole(value.role) || value.role === 'model' || wireOf([value]) !== UNMARKED;
}

function hasPart(item: Fields, types: readonly string[]): boolean {
  return fieldsIn(item.content).some(({ type }) => typeof type === 'string' && types.includes(type));
}

/** Whether the item has an image or a document of Anthropic's. No other format has an object in `source`. */
function hasSource(item: Fields): boolean {
  return fieldsIn(item.content).some(({ source }) => typeof fieldsOf(source).type === 'string');
}

function hasMediaType(item: Fields): boolean {
  return fieldsIn(item.content).some(
    (part) => part.mediaType !== undefined || part.providerOptions !== undefined,
  );
}

function isLangChain(item: Fields): boolean {
  if (item.lc !== undefined && item.type === 'constructor') return true;
  if (typeof item.type !== 'string' || item.role !== undefined) return false;
  return (
    fieldsOf(item.data).content !== undefined ||
    (item.content !== undefined && LANGCHAIN_TYPES.includes(item.type))
  );
}

interface WireFile {
  /** The format that the user named. */
  readonly expected?: WireFormat | undefined;
  /** True if one of the first lines is a message. Other lines are then skipped and listed in the notices. */
  readonly hasMessage: boolean;
  /** Makes the error for a value of no known format. */
  readonly unknown: (found: string) => Error;
}

/** Reads lines that are no recording: messages of a wire format, one per line, or one line with a whole request. */
export class WireLines implements SessionReader {
  readonly #items: unknown[] = [];
  readonly #bodies: unknown[] = [];
  readonly #notices: Notice[] = [];

  constructor(private readonly file: WireFile) {}

  take(value: unknown, line: number): void {
    const { expected, hasMessage, unknown } = this.file;
    const isAccepted = hasMessage || expected !== undefined;
    if (!isFields(value) || value.kind === 'meta') {
      const what = isFields(value) ? 'a meta line' : kindOf(value);
      this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: `${what}; skipped` });
      if (!isFields(value) && !isAccepted) throw unknown(what);
    } else if (isBody(value) || wireOf(value)) this.#bodies.push(value);
    else if (isAccepted || this.#items.length > 0 || isItem(value)) this.#items.push(value);
    else throw unknown(objectWith(value));
  }

  finish(): ImportedSession {
    const { expected, unknown } = this.file;
    const [bodies, items] = [this.#bodies.length, this.#items.length];
    if (bodies > 1 || (bodies === 1 && items > 0))
      throw unknown(`${bodies} whole requests and ${items} messages, which are not one session,`);
    const session = readWire(this.#bodies[0] ?? this.#items, expected)!;
    const { parsed, detected } = session;
    return {
      parsed: { ...parsed, notices: [...this.#notices, ...parsed.notices] },
      detected: bodies === 1 ? detected! : { ...detected!, mark: 'its lines are messages in this format' },
    };
  }
}

/** Describes an object by its first few fields. */
export const objectWith = (value: object): string =>
  `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`;
