import type { Overflow, OverflowWording } from '../../spi/index.js';
import { jsonIn, jsonText } from '../record.js';
import { PROVIDERS } from '../registry.js';
import { wording } from './lore.js';

/** Wordings that many share (Bedrock, Groq, MiniMax, GLM, Ollama), and the codes of all. They name no figure. */
const SHARED_WORDINGS: readonly OverflowWording[] = [
  wording('input is too long for (?:the )?requested model|too many input tokens'),
  wording('number of input tokens exceeds maximum length|prompt exceeds max length'),
  wording('input length exceeds the context length'),
  // vLLM, which computes `max_tokens` from the room that is left
  wording('max_tokens must be at least 1, got -'),
  wording('reduce the length of the messages'),
  wording('context window exceeds limit|exceeds the context window|context window is full'),
  wording('context[_ ]length[_ ]exceeded|model_context_window_exceeded|context_window_exceeded'),
  wording('ContextWindowExceeded|prompt_too_long|prompt is too long|request_too_large'),
  wording('request (?:entity|exceeds the maximum size|payload)|payload too large'),
  wording('maximum (?:allowed )?(?:input|prompt|context) (?:length|size) exceeded'),
  wording('(?:输入|提示|上下文|prompt).{0,12}(?:超长|超出|过长)'),
];

/** Wordings with figures come first, because the first wording that fits decides. */
const WORDINGS = [...PROVIDERS.flatMap(({ overflows = [] }) => overflows), ...SHARED_WORDINGS];

/** These errors mention tokens too, but mean a rate or a quota: waiting helps, compacting does not. */
const RATE_LIMIT =
  /rate.?limit|tokens? per (?:min|hour|day)|\b(?:TPM|TPD|RPM)\b|quota|too many requests|throttl|resource.?exhausted|please wait before|insufficient_(?:funds|balance)/i;

/** Codes that prove an overflow, even if the error also mentions a rate limit. */
const CERTAIN_OVERFLOW = /context_length_exceeded|model_context_window_exceeded/;

/** A count in parts: `5000 tokens (3000 in the messages, 1000 in the functions, and 1000 in the completion)`. */
const SPLIT = /tokens \((\d[^()]{1,200})\)/i;
const SPLIT_PART = /(\d[\d,]{0,12}) (?:of|in|for) ([a-z ]{1,40})/gi;

/** Statuses of a request refused for content. Bedrock and Copilot answer 403, Hugging Face 422; a stream has none. */
export const REFUSAL_STATUSES: ReadonlySet<number> = new Set([200, 400, 403, 413, 422]);

/** A longer code is prose, not a provider's code. */
const MAX_CODE_CHARS = 200;

/** Codes and types of providers for a request that is too long. Any other code means another error. */
const OVERFLOW_CODE =
  /^(?:[45]\d\d|error|.*invalid.?request.*|.*invalid.?(?:argument|parameter).*|.*bad.?request.*|.*validation.*|.*context.*|.*too.?(?:long|large|many.?tokens).*|.*(?:input|prompt|token|string).*(?:length|limit|exceed).*)$/i;

/** What a refusal says. `doubt` is the reason why no limit may be learned from it; absent if a limit may be learned. */
interface ReadOverflow {
  readonly overflow: Overflow;
  readonly doubt?: string;
}

/**
 * Reads a refusal: an error of any client, its body as text or object, or a finish reason. Undefined if the error is no
 * overflow: rate limits mention tokens as well.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  return readOverflowOf(error)?.overflow;
}

/** What the caller knows when it reads a refusal. */
interface Reader {
  /** Wordings of a provider that is not in the registry. */
  readonly own?: readonly OverflowWording[] | undefined;
  /** The text of the refused request, in addition to what the error has of it; called only if an overflow is found. */
  readonly request?: () => string;
}

/** As `readOverflow`, with the reason to doubt the refusal, if there is one. */
export function readOverflowOf(
  error: unknown,
  { own = [], request = () => '' }: Reader = {},
): ReadOverflow | undefined {
  const { texts, codes, statuses, echoes, requests } = readRefusal(error);
  const text = [...texts, ...codes].join('\n');
  // A 422 body that repeats the request says nothing of its own.
  if (echoes && statuses.has(422)) return undefined;
  if (!CERTAIN_OVERFLOW.test(text) && (RATE_LIMIT.test(text) || statuses.has(429))) return undefined;
  const fits =
    [...statuses].every((status) => REFUSAL_STATUSES.has(status)) &&
    codes.every((code) => code.length <= MAX_CODE_CHARS && OVERFLOW_CODE.test(code));
  const echo = echoes ? 'it gives back what it was sent' : undefined;
  const doubt = fits ? echo : 'its status or code is that of another error';
  const isQuoted = createQuoteTest(() => [request(), ...requests.map((read) => read())].join('\n'));
  let quoted: ReadOverflow | undefined;
  for (const [pattern, ...fields] of [...own, ...WORDINGS]) {
    const found = pattern.exec(text);
    if (!found) continue;
    const named = fields.flatMap((field, i) => {
      const tokens = countOf(found[i + 1]);
      return tokens === undefined ? [] : [[field, tokens] as const];
    });
    const split = SPLIT.exec(text);
    const counted = split && !isQuoted(split[0]) ? splitOf(split[1]!) : {};
    const overflow = { ...Object.fromEntries(named), ...counted };
    // Codes are the server's own words, not a quotation.
    if (codes.some((code) => pattern.test(code)) || !piecesOf(found).some(isQuoted))
      return { overflow, ...(doubt !== undefined && { doubt }) };
    // The error may quote the request and also contain the server's own wording, so the search goes on.
    quoted ??= { overflow, doubt: doubt ?? 'the request itself holds these words' };
  }
  if (quoted) return quoted;
  return statuses.has(413) ? { overflow: {}, ...(doubt !== undefined && { doubt }) } : undefined;
}

/** Servers count tools, functions and images apart from the messages. All of these are input. */
function splitOf(parts: string): Pick<Overflow, 'input' | 'output'> {
  let [input, output] = [0, 0];
  for (const [, digits, what] of parts.matchAll(SPLIT_PART)) {
    const tokens = countOf(digits) ?? 0;
    if (/output|completion/i.test(what!)) output += tokens;
    else input += tokens;
  }
  return { ...(input > 0 && { input }), ...(output > 0 && { output }) };
}

function countOf(digits: string | undefined): number | undefined {
  const tokens = Number((digits ?? '').replace(/[,._]/g, ''));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** The content of a provider's error. */
interface Refusal {
  /** Its messages. */
  readonly texts: readonly string[];
  /** Its codes and types that are not numbers. */
  readonly codes: readonly string[];
  readonly statuses: ReadonlySet<number>;
  /** Whether its body repeats the request. */
  readonly echoes: boolean;
  /** Readers of the request, if the error carries it; called only if the request might be quoted. */
  readonly requests: readonly (() => string)[];
}

/** Fields in which clients and servers describe an error. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'message',
  'msg',
  'detail',
  'error',
  'error_message',
  'errorMessage',
  'error_msg',
  'reason',
  'stop_reason',
  'finish_reason',
  'finishReason',
  'raw',
  'body',
  'responseBody',
  'data',
]);
/** Fields that contain the body of an answer, or the cause of an error. */
const NESTED: ReadonlySet<string> = new Set([
  ...TEXT_FIELDS,
  'errors',
  'cause',
  'response',
  'metadata',
  'lastError',
  'innererror',
  'incomplete_details',
]);
const CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'type', 'status', 'statusCode', '__type']);
/** Fields in which FastAPI and Groq repeat the request. */
const ECHO_FIELDS = ['input', 'failed_generation'];
/** Fields in which errors of the AI SDK and of the proxy contain the request. */
const REQUEST_FIELDS = ['requestBodyValues', 'requestBody'];

const MAX_DEPTH = 6;
const MAX_CHARS = 10_000;

/**
 * Reads an error's own words, from the fields in which clients keep them. Other fields are not read, because servers
 * repeat the request, and a transcript may mention context lengths.
 */
export function readRefusal(error: unknown): Refusal {
  const texts: string[] = [];
  const codes: string[] = [];
  const statuses = new Set<number>();
  const requests: (() => string)[] = [];
  let echoes = false;
  const seen = new Set<object>();
  const read = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (typeof value === 'string') {
      const body = bodyIn(value);
      if (body !== undefined) read(body, depth + 1);
      else texts.push(value.slice(0, MAX_CHARS));
      return;
    }
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) return value.forEach((one) => read(one, depth + 1));
    const fields = value as Readonly<Record<string, unknown>>;
    echoes ||= depth > 0 && ECHO_FIELDS.some((name) => fields[name] !== undefined);
    for (const name of REQUEST_FIELDS) if (name in fields) requests.push(() => jsonText(fields[name] ?? ''));
    for (const name of new Set([...Object.keys(fields), 'message', 'cause'])) {
      const field = fields[name];
      if (CODE_FIELDS.has(name)) readCode(field, codes, statuses);
      else if (typeof field === 'string' ? TEXT_FIELDS.has(name) : NESTED.has(name)) read(field, depth + 1);
    }
  };
  read(error, 0);
  return { texts, codes, statuses, echoes, requests };
}

function readCode(value: unknown, codes: string[], statuses: Set<number>): void {
  const status = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  if (Number.isInteger(status)) {
    // Larger numbers are a provider's own codes: 3051 of Mistral, 20015 of SiliconFlow.
    if (status < 1_000) statuses.add(status);
  } else if (typeof value === 'string' && value !== '') codes.push(value.slice(0, MAX_CODE_CHARS + 1));
}

/** The JSON body in a text, as clients write it into their messages: `400 {"error":{…}}`. */
function bodyIn(text: string): unknown {
  const json = /^\s*(?:\d{3}\s+)?([{[][^]*[}\]])\s*$/.exec(text)?.[1];
  const value = json === undefined ? undefined : jsonIn(json);
  return typeof value === 'object' ? value : undefined;
}

/**
 * Makes a test whether the request that an error answers contains given words. Servers quote what they refuse, but cut,
 * escape and wrap the quotation, so only letters and digits are compared.
 */
function createQuoteTest(request: () => string): (words: string) => boolean {
  let letters: string | undefined;
  return (words) => (letters ??= lettersOf(request())).includes(lettersOf(words));
}

/**
 * Cuts a matched wording after each figure; a wording without figures is one piece. If one piece is quoted, its figure
 * is not the server's. A figure alone is no piece, because a request contains its `max_tokens` too.
 */
function piecesOf([whole, ...figures]: RegExpExecArray): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const figure of figures) {
    if (figure === undefined) continue;
    const end = whole.indexOf(figure, from) + figure.length;
    pieces.push(whole.slice(from, end));
    from = end;
  }
  const worded = pieces.filter((piece) => /\p{L}/u.test(piece));
  return worded.length > 0 ? worded : [whole];
}

/**
 * A text's letters and digits. JSON, Python and JavaScript escapes are decoded; a second escape adds only backslashes.
 */
const lettersOf = (text: string): string =>
  text
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/\\[nrtbf]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
