import type { SummaryAnswer } from '../spi/index.js';
import { fitText, withoutHeads, withoutTemplateMarks } from '../text/digest/index.js';
import { headOf } from '../text/reading/index.js';
import { otherLanguageOf } from './language.js';

interface GateRequest {
  readonly answer: SummaryAnswer;
  readonly maxTokens: number;
  /** What the text stands for, in counted tokens: a summary as long as its source is none. */
  readonly sourceTokens: number;
  readonly count: (text: string) => number;
  /** By name, what it is to be written in; absent where any will do. */
  readonly language?: string | undefined;
  /** What was sent: an answer that gives it back says nothing. */
  readonly sent?: { readonly prompts: readonly string[]; readonly source: readonly string[] };
}

export type Verdict =
  | {
      readonly ok: true;
      readonly text: string;
      readonly repairs: readonly string[];
      /** It was longer than its allowance, and ends early. */
      readonly isCut: boolean;
    }
  | { readonly ok: false; readonly reason: string; readonly isInOtherLanguage?: boolean };

/**
 * Every text passes here before it may stand in a transcript, whoever wrote it. What can be mended without guessing is,
 * and said so; all else is refused with a reason. Never throws.
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
  if (!FINISHED.has(answer.finishReason)) return refused(`ended with ${oneWord(answer.finishReason)}`);
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
    text = whole + CUT;
    repairs.push('cut off by the model; ends at its last whole line');
  }
  // Who reads the text beside digests would take such lines for what a user said, and a model for another's turn.
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
  if (tokens < LEAST_TOKENS && sourceTokens >= LONG_SOURCE_TOKENS) return refused('says next to nothing');
  return { ok: true, text, repairs, isCut };
}

/** "OK, understood.": of so long a source it tells nothing, in whatever language. */
const LEAST_TOKENS = 4;
const LONG_SOURCE_TOKENS = 1_000;

/** What an answer that is done says; servers that say nothing at all say `other` or `unknown`. */
const FINISHED: ReadonlySet<string> = new Set(['stop', 'length', 'other', 'unknown']);

const THOUGHT = /<\/?(think|thinking|reasoning|analysis)\b[^<>]{0,200}>?/i;

/** Leaves out closed thinking. One that never closes, or never opened, stays to be refused. */
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

/** Shapes of failures that servers and gateways put where an answer belongs. Only at the beginning: summaries quote errors. */
const ERROR_START =
  /^(?:\W{0,3})(?:(?:api|http|internal|server|request|provider|rate.?limit|timeout|connection|network|fetch|json\s?decode)\s*error\b|error(?:\s+code)?\s*[:=#]|error\s+(?:generating|creating|calling|occurred)|(?:failed|unable) to (?:generate|create|produce|summari[sz]e)|(?:traceback \(most recent|exception:|typeerror:|uncaught )|(?:4\d\d|5\d\d)\s+(?:bad|unauthorized|forbidden|not found|too many|internal|service|gateway|server)|rate limit|too many requests|service unavailable|bad gateway|gateway timeout|internal server error|an error occurred|summary (?:generation )?(?:failed|unavailable))/i;
const ERROR_JSON = /^\{\s*"(?:error|errors|detail|message)"\s*:/i;
const ERROR_PAGE = /^<(?:!doctype|html)\b/i;

function isErrorText(text: string): boolean {
  return ERROR_START.test(text) || ERROR_JSON.test(text) || ERROR_PAGE.test(text);
}

/** How models refuse, in the languages that most users write: only at the beginning, where no record starts so. */
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

/** Summaries quote; what runs on for so long is a copy. */
const ECHO_CHARS = 400;

function repeats(text: string, prompt: string): boolean {
  const start = prompt.slice(0, 60);
  return start.length >= 20 && text.includes(start);
}

const CUT = '\n[… the rest was cut]';

/** A long beginning that fits, at a line's end where one is near, with a mark that something is missing. */
function cutTo(text: string, maxTokens: number, tokens: number, count: (text: string) => number): string {
  const beginning = (chars: number): string => {
    const head = headOf(text, chars);
    const line = head.lastIndexOf('\n');
    return (line > head.length / 2 ? head.slice(0, line) : head).trim() + CUT;
  };
  const fitted = fitText(beginning, maxTokens, count, text.length / tokens)?.text ?? CUT;
  return fitted === CUT ? '' : fitted;
}

function oneWord(reason: unknown): string {
  return String(reason).slice(0, 40);
}

function refused(reason: string): Extract<Verdict, { readonly ok: false }> {
  return { ok: false, reason };
}
