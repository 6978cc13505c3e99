import type { SummaryAnswer } from '../spi/index.js';
import { fitText, withoutHeads, withoutTemplateMarks } from '../text/digest/index.js';
import { headOf } from '../text/reading/index.js';
import { otherLanguageOf } from './language.js';

interface GateRequest {
  readonly answer: SummaryAnswer;
  readonly maxTokens: number;
  /** Counted tokens of the content that the text replaces: a summary as long as its source is none. */
  readonly sourceTokens: number;
  readonly count: (text: string) => number;
  /** The name of the language that the text must have; absent if any will do. */
  readonly language?: string | undefined;
  /** The content of the request: an answer that repeats it is refused. */
  readonly sent?: { readonly prompts: readonly string[]; readonly source: readonly string[] };
}

export type Verdict =
  | {
      readonly ok: true;
      readonly text: string;
      readonly repairs: readonly string[];
      /** Whether the text was longer than its allowance and was cut. */
      readonly isCut: boolean;
    }
  | { readonly ok: false; readonly reason: string; readonly isInOtherLanguage?: boolean };

/**
 * Checks every text from any author before it enters a transcript. Faults that can be repaired without guessing are
 * repaired, and reported; any other text is refused with a reason. Never throws.
 */
export function judgeAnswer(request: GateRequest): Verdict {
  try {
    return judge(request);
  } catch {
    return refused('is no answer');
  }
}

function judge({ answer, maxTokens, sourceTokens, count, language, sent }: GateRequest): Verdict {
  if (typeof answer?.text !== 'string') return refused('is no text');
  if ((answer.toolCalls ?? 0) > 0 || answer.finishReason === 'tool-calls') return refused('calls a tool');
  if (!FINISH_REASONS.has(answer.finishReason)) return refused(`ended with ${oneWord(answer.finishReason)}`);
  const repairs: string[] = [];

  let text = withoutThinking(answer.text);
  if (text !== answer.text) repairs.push('thinking taken out');
  if (THOUGHT.test(text)) return refused('ends in its thinking');
  if (CALL_MARKUP.test(text)) return refused('calls a tool');
  text = text.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return refused('is empty');
  if (isErrorText(text)) return refused('is an error text');
  if (REFUSAL.test(text)) return refused('is a refusal');
  if (sent?.prompts.some((prompt) => repeats(text, prompt))) return refused('repeats its prompt');
  if (text.length >= ECHO_CHARS && sent?.source.some((source) => source.includes(text.slice(0, ECHO_CHARS))))
    return refused('repeats its source');
  const other = language === undefined ? undefined : otherLanguageOf(text, language);
  if (other !== undefined)
    return { ...refused(`is in ${other}, not in ${language}`), isInOtherLanguage: true };

  if (answer.finishReason === 'length') {
    const whole = text.slice(0, text.lastIndexOf('\n') + 1).trim();
    if (whole === '') return refused('was cut off');
    text = whole + CUT_MARK;
    repairs.push('cut off by the model; ends at its last whole line');
  }
  // A reader of the text next to digests would take such lines for a user's words, and a model for another turn.
  const plain = withoutTemplateMarks(withoutHeads(text));
  if (plain !== text) repairs.push('passes for messages no more');
  text = plain;
  const tokens = count(text);
  const isCut = tokens > maxTokens;
  if (isCut) {
    const fitted = cutTo(text, maxTokens, tokens, count);
    if (fitted === '') return refused('does not fit its allowance');
    text = fitted;
    repairs.push(`cut to ${maxTokens} tokens`);
  }
  if (count(text) >= sourceTokens) return refused('is no smaller than its source');
  if (tokens < MIN_TOKENS && sourceTokens >= LONG_SOURCE_TOKENS) return refused('says next to nothing');
  return { ok: true, text, repairs, isCut };
}

/** "OK, understood.": in any language this says nothing about such a long source. */
const MIN_TOKENS = 4;
const LONG_SOURCE_TOKENS = 1_000;

/** The finish reasons of a complete answer; servers that give no reason have `other` or `unknown`. */
const FINISH_REASONS: ReadonlySet<string> = new Set(['stop', 'length', 'other', 'unknown']);

const THOUGHT = /<\/?(think|thinking|reasoning|analysis)\b[^<>]{0,200}>?/i;

/** Removes closed thinking. Thinking that never closes, or never opened, remains and is refused. */
function withoutThinking(text: string): string {
  let rest = text;
  let kept = '';
  for (let open = THOUGHT.exec(rest); open; open = THOUGHT.exec(rest)) {
    const close = rest.indexOf(`</${open[1]!}>`, open.index);
    if (open[0].startsWith('</') || close < 0) return kept + rest;
    kept += rest.slice(0, open.index);
    rest = rest.slice(close + open[1]!.length + 3);
  }
  return kept + rest;
}

const CALL_MARKUP = /<(?:tool_call|function_call|invoke|tool_use)\b|^\s*\{\s*"(?:tool_calls|function_call)"/i;

/** How servers and gateways send errors as answers. Only at the beginning, because summaries quote errors. */
const ERROR_START =
  /^(?:\W{0,3})(?:(?:api|http|internal|server|request|provider|rate.?limit|timeout|connection|network|fetch|json\s?decode)\s*error\b|error(?:\s+code)?\s*[:=#]|error\s+(?:generating|creating|calling|occurred)|(?:failed|unable) to (?:generate|create|produce|summari[sz]e)|(?:traceback \(most recent|exception:|typeerror:|uncaught )|(?:4\d\d|5\d\d)\s+(?:bad|unauthorized|forbidden|not found|too many|internal|service|gateway|server)|rate limit|too many requests|service unavailable|bad gateway|gateway timeout|internal server error|an error occurred|summary (?:generation )?(?:failed|unavailable))/i;
const ERROR_JSON = /^\{\s*"(?:error|errors|detail|message)"\s*:/i;
const ERROR_PAGE = /^<(?:!doctype|html)\b/i;

function isErrorText(text: string): boolean {
  return ERROR_START.test(text) || ERROR_JSON.test(text) || ERROR_PAGE.test(text);
}

/** How models refuse, in the languages of most users. Only at the beginning, because no summary starts so. */
const REFUSAL = new RegExp(
  `^(?:\\W{0,3})(?:${[
    "i['’]?m (?:very |really |so )?(?:sorry|unable|not able)",
    "i am (?:sorry|unable|not able)|sorry[,.! ]|i (?:can ?not|can['’]t|won['’]t|must decline)",
    'as an ai\\b|i apologi[sz]e|unfortunately,? i (?:can|am)',
    '(?:es )?tut mir (?:sehr )?leid|leider kann ich|entschuldigung,|ich kann (?:dir|ihnen|dabei|das|diese[rns]?) (?:nicht|leider)',
    'lo siento|no puedo (?:ayudar|cumplir)|desculpe|sinto muito|não posso (?:ajudar|atender)',
    'je suis (?:vraiment )?désolée?|désolée?[,.! ]|je ne peux pas (?:vous aider|répondre)|mi dispiace|non posso aiutar',
    'извините|простите|к сожалению, я|я не могу (?:помочь|выполнить)',
  ].join('|')})|^(?:\\W{0,3})(?:抱歉|对不起|對不起|很遗憾|我无法|我無法|申し訳|すみません|죄송)`,
  'iu',
);

/** Summaries quote; a match of this length is a copy. */
const ECHO_CHARS = 400;

function repeats(text: string, prompt: string): boolean {
  const start = prompt.slice(0, 60);
  return start.length >= 20 && text.includes(start);
}

const CUT_MARK = '\n[… the rest was cut]';

/** A long beginning that fits, up to the end of a line if one is near, with a mark for the missing rest. */
function cutTo(text: string, maxTokens: number, tokens: number, count: (text: string) => number): string {
  const beginning = (chars: number): string => {
    const head = headOf(text, chars);
    const line = head.lastIndexOf('\n');
    return (line > head.length / 2 ? head.slice(0, line) : head).trim() + CUT_MARK;
  };
  const fitted = fitText(beginning, maxTokens, count, text.length / tokens)?.text ?? CUT_MARK;
  return fitted === CUT_MARK ? '' : fitted;
}

function oneWord(reason: unknown): string {
  return String(reason).slice(0, 40);
}

function refused(reason: string): Extract<Verdict, { readonly ok: false }> {
  return { ok: false, reason };
}
