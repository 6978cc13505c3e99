import type { Overflow, OverflowWording } from '../../spi/index.js';
import { PROVIDERS } from './known.js';
import { readRefusal } from './refusal.js';
import { wording } from './wording.js';

/** Said by many: Bedrock, Groq, MiniMax, GLM, Cerebras, and the codes of all. They name no figure. */
const BY_MANY: readonly OverflowWording[] = [
  wording('input is too long for (?:the )?requested model|too many input tokens'),
  wording('reduce the length of the messages'),
  wording('context window exceeds limit|exceeds the context window|context window is full'),
  wording('context[_ ]length[_ ]exceeded|model_context_window_exceeded|context_window_exceeded'),
  wording('ContextWindowExceeded|prompt_too_long|prompt is too long|request_too_large'),
  wording('request (?:entity|exceeds the maximum size|payload)|payload too large'),
  wording('maximum (?:allowed )?(?:input|prompt|context) (?:length|size) exceeded'),
  wording('(?:输入|提示|上下文|prompt).{0,12}(?:超长|超出|过长)'),
];

/** Figures first: the first wording that fits decides. */
const WORDINGS = [...PROVIDERS.flatMap(({ overflows = [] }) => overflows), ...BY_MANY];

/** These speak of tokens too, and mean something else: waiting helps, compacting does not. */
const RATE_LIMIT =
  /rate.?limit|tokens? per (?:min|hour|day)|\b(?:TPM|TPD|RPM)\b|quota|too many requests|throttl|resource.?exhausted|please wait before|insufficient_(?:funds|balance)/i;

/** Names that leave no doubt, whatever else is said. */
const CERTAIN = /context_length_exceeded|model_context_window_exceeded/;

/** How OpenAI's servers split what they counted: `5000 tokens (4000 in the messages, 1000 in the completion)`. */
const SPLIT = /tokens \((\d[\d,]*) (?:of text input|in (?:the|your) (?:messages|prompt|input))/i;

/** Statuses that a request gets for what it holds. Bedrock and Copilot answer 403, Hugging Face 422; a stream has none. */
const FITTING: ReadonlySet<number> = new Set([200, 400, 403, 413, 422]);

/** A longer code is a text, and no provider's. */
const LONGEST_CODE = 200;

/** Codes and types under which providers refuse what is too long; anything else is an error about something else. */
const FITTING_CODE =
  /^(?:[45]\d\d|error|.*invalid.?request.*|.*invalid.?(?:argument|parameter).*|.*bad.?request.*|.*validation.*|.*context.*|.*too.?(?:long|large|many.?tokens).*|.*(?:input|prompt|token|string).*(?:length|limit|exceed).*)$/i;

/** What a refusal says, and whether limits may be learned from it. */
interface ReadOverflow {
  readonly overflow: Overflow;
  /** Status and codes are those of a request that is too long. */
  readonly fits: boolean;
}

/**
 * Reads a refusal: an error of any client, its body as text or object, or a finish reason. Undefined where it is no
 * overflow: rate limits mention tokens as well.
 */
export function readOverflow(error: unknown): Overflow | undefined {
  return readOverflowOf(error)?.overflow;
}

/** As `readOverflow`, with how far the refusal can be trusted; `own` are wordings of a provider that is not known here. */
export function readOverflowOf(
  error: unknown,
  own: readonly OverflowWording[] = [],
): ReadOverflow | undefined {
  const { texts, codes, statuses, echoes } = readRefusal(error);
  const text = [...texts, ...codes].join('\n');
  // A body that gives back what it was sent says nothing of its own.
  if (echoes && statuses.has(422)) return undefined;
  if (!CERTAIN.test(text) && (RATE_LIMIT.test(text) || statuses.has(429))) return undefined;
  const fits =
    [...statuses].every((status) => FITTING.has(status)) &&
    codes.every((code) => code.length <= LONGEST_CODE && FITTING_CODE.test(code));
  for (const [pattern, ...fields] of [...own, ...WORDINGS]) {
    const found = pattern.exec(text);
    if (!found) continue;
    const named = fields.flatMap((field, i) => {
      const tokens = countOf(found[i + 1]);
      return tokens === undefined ? [] : [[field, tokens] as const];
    });
    const input = countOf(SPLIT.exec(text)?.[1]);
    return { overflow: { ...Object.fromEntries(named), ...(input !== undefined && { input }) }, fits };
  }
  return statuses.has(413) ? { overflow: {}, fits } : undefined;
}

function countOf(digits: string | undefined): number | undefined {
  const tokens = Number((digits ?? '').replace(/[,._]/g, ''));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
