import { actionOf, innerCall, parseArguments, type CallArguments } from '../facts/index.js';
import {
  isRecord,
  isToolCall,
  isToolResult,
  textOf,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';

/** The user's reaction to a call: answered its question, allowed it, or refused it. */
export type Verdict = 'answered' | 'approved' | 'refused';

/** The user's text in the result of a call, and the question that it answers, if there was one. */
interface ReplyText {
  readonly asked?: string;
  readonly words: string;
}

/** A user's reply to a call, in the call's result. */
export interface Reply {
  readonly verdict: Verdict;
  /** Each answer with its question; empty for a plain yes or no. */
  readonly texts: readonly ReplyText[];
}

/** Reads the user's text: `rest` is the result after its opening words. */
type ReadTexts = (args: CallArguments, rest: string) => readonly ReplyText[];

/** Text that hosts append to the user's text. */
const HOST_ADDITION =
  /\n(?:<system-reminder>|<environment_details>|Note: The user's next message may contain a correction|\nThe plan is stored at: )/;

/** The user only said yes or no. */
const noWords: ReadTexts = () => [];

/** The whole rest up to the host's addition; with the call's question, if it asks one. */
const plainWords: ReadTexts = ({ fields }, rest) => {
  const words = rest.split(HOST_ADDITION, 1)[0]!;
  if (!words.trimStart().startsWith('The user wants to clarify these questions.'))
    return replyTexts(textIn(fields.question), words);
  // For questions that were taken back: `- "question"`, and below it `Answer: …` or a note that there was none.
  const lines = words.split('\n').map((line) => line.trim());
  return lines.flatMap((line, i) => {
    const [, asked] = /^- "(.{1,2000})"$/.exec(line) ?? [];
    const [, answer] = /^Answer: (.{1,4000})$/.exec(lines[i + 1] ?? '') ?? [];
    return asked === undefined || answer === undefined ? [] : replyTexts(asked, answer);
  });
};

/** The text between the opening and the tag that closes it. */
const wordsUpTo =
  (closes: string): ReadTexts =>
  (args, rest) =>
    rest.includes(closes) ? plainWords(args, rest.slice(0, rest.indexOf(closes))) : [];

/** `"question"="answer", "question"="answer". You can now …`, by the questions of the call. */
const answerPairs: ReadTexts = ({ fields }, rest) => {
  const end = rest.lastIndexOf('. You can now continue');
  const list = end < 0 ? rest : rest.slice(0, end);
  const places: { readonly question: string; readonly at: number; readonly from: number }[] = [];
  for (const { question } of questionsIn(fields)) {
    const mark = `"${textIn(question) ?? ''}"="`;
    const at = list.indexOf(mark, places.at(-1)?.from ?? 0);
    if (at >= 0) places.push({ question: question as string, at, from: at + mark.length });
  }
  return places.flatMap(({ question, from }, i) =>
    replyTexts(question, answerIn(list.slice(from, places[i + 1]?.at ?? list.length))),
  );
};

/** `{"answers": …}`, by the name, the heading or the index of the question. */
const answerRecord: ReadTexts = ({ fields }, rest) => {
  const { answers } = parseArguments(rest).fields;
  const questions = questionsIn(fields);
  return Object.entries(isRecord(answers) ? answers : {}).flatMap(([key, answer]) => {
    const asked =
      questions.find(({ id, header, question }) => [id, header, question].includes(key)) ??
      questions[Number(key)];
    return replyTexts(textIn(asked?.question), textsIn(answer).join(', '));
  });
};

/** A form in which a host passes the user's own text to the model as the result of a call. */
export interface ReplyForm {
  readonly host: string;
  readonly verdict: Verdict;
  /** The beginning of the result: later in the text, a program could have printed it. */
  readonly opens: RegExp;
  readonly read: ReadTexts;
  /** Tools that ask the user, by name; absent if the result of any call may have this form. */
  readonly tools?: RegExp;
  /** The host marks the result as a failure, if the format has a mark for it. */
  readonly isFlagged?: true;
}

const QUESTION = /^(?:ask_followup_question|plan_mode_respond)$/i;
const PLANS = /^exit_?plan_?mode$/i;
const FLAGGED = { isFlagged: true } as const;
/** Claude Code's own text, and that of an earlier release without the brackets in the second sentence. */
const REJECTED =
  "The user doesn['’]t want to proceed with this tool use\\.(?: The tool use was rejected(?: \\(eg\\. if it was a file edit, the new_string was NOT written to the file\\))?\\.)?";
const row = (
  host: string,
  verdict: Verdict,
  opens: RegExp,
  read: ReadTexts,
  more: Pick<ReplyForm, 'tools' | 'isFlagged'> = {},
): ReplyForm => ({ host, verdict, opens, read, ...more });

/** All known forms, the narrower before the wider; the tests have examples, and texts that only look like a form. */
// prettier-ignore
export const REPLY_FORMS: readonly ReplyForm[] = [
  row('Claude Code, OpenCode: questions', 'answered', /^(?:User has answered your questions?|Your questions? ha(?:s|ve) been answered): /, answerPairs, { tools: /^(?:ask_?user_?questions?|question)$/i }),
  row('Codex, Copilot, Gemini CLI: questions', 'answered', /^(?=\s{0,8}\{\s{0,8}"answers")/, answerRecord, { tools: /^(?:request_user_input|(?:vscode_)?ask_?questions|ask_user)$/i }),
  row('Cline: question', 'answered', /^<answer>/, wordsUpTo('</answer>'), { tools: QUESTION }),
  row('Claude Code: plan approved', 'approved', /^User has approved (?:your plan|exiting plan mode)\./, noWords, { tools: PLANS }),
  row('Gemini CLI: plan approved', 'approved', /^Plan approved\./, noWords, { tools: PLANS }),
  row('Gemini CLI: plan rejected', 'refused', /^Plan rejected\. User feedback: /, plainWords, { tools: PLANS }),
  row('Claude Code: refused, with words', 'refused', new RegExp(`^(?:${REJECTED} To tell you how to proceed, the user said:|${REJECTED} The user provided the following reason for the rejection:|Permission for this tool use was denied\\. The tool use was rejected \\([^()\\n]{1,120}\\)\\. The user said:)`), plainWords, FLAGGED),
  row('OpenCode: refused, with words', 'refused', /^The user rejected permission to use this specific tool call with the following feedback: /, plainWords, FLAGGED),
  row('Cline: refused, with words', 'refused', /^The user denied this operation and provided the following feedback:\s{0,4}<feedback>/, wordsUpTo('</feedback>')),
  row('Cline: approved, with words', 'approved', /^The user approved this operation and provided the following (?:context|feedback):\s{0,4}<feedback>/, wordsUpTo('</feedback>')),
  row('Cline: words on what was done', 'answered', /^The user has provided feedback on the results\.[^\n]{0,200}\n<feedback>/, wordsUpTo('</feedback>'), { tools: /^attempt_completion$/i }),
  row('Claude Code: refused', 'refused', new RegExp(`^(?:${REJECTED}|The user doesn['’]t want to take this action right now\\.|The agent proposed a plan that was rejected by the user\\.)`), noWords, FLAGGED),
  row('OpenCode, Cline, Codex: refused', 'refused', /^(?:The user rejected permission to use this specific tool call\.|The user dismissed this question|The user denied this operation\.|(?:exec command|patch) rejected by user)/, noWords),
];

/** A longer result is a program's output. In characters. */
const MAX_CHARS = 60_000;

/** Reads the parts of a log in order, and finds users' replies in results of calls. */
export class ReplyReader {
  /** Calls that wait for their result, by call id. */
  readonly #open = new Map<string, ToolCallPart>();
  /** The format marks failures, so a refusal without the mark is a program's output. */
  #hasFlags = false;

  /** Undefined unless the part is a result with a reply. */
  read(part: Part): Reply | undefined {
    if (isToolCall(part)) this.#open.set(part.callId, part);
    if (!isToolResult(part)) return undefined;
    const call = this.#open.get(part.callId);
    this.#open.delete(part.callId);
    this.#hasFlags ||= part.isError === true;
    return call && this.#replyIn(call, part);
  }

  #replyIn(call: ToolCallPart, result: ToolResultPart): Reply | undefined {
    const output = textOf(result);
    if (output.length > MAX_CHARS) return undefined;
    const candidates = REPLY_FORMS.filter(
      ({ opens, isFlagged }) =>
        (isFlagged === undefined || result.isError === true || !this.#hasFlags) && opens.test(output),
    );
    if (candidates.length === 0) return undefined;
    const { name, args } = innerCall(call.name, parseArguments(call.arguments));
    // A call that looks at something shows other people's text, which may begin like a host's.
    const { kind } = actionOf(call);
    const asksUser = REPLY_FORMS.some(({ tools }) => tools?.test(name));
    const asksPermission = kind === 'write' || kind === 'run' || result.isError === true || asksUser;
    const form = candidates.find(({ tools }) => (tools === undefined ? asksPermission : tools.test(name)));
    if (!form) return undefined;
    const rest = output.slice(form.opens.exec(output)![0].length);
    return { verdict: form.verdict, texts: form.read(args, rest) };
  }
}

function replyTexts(asked: string | undefined, words: string): ReplyText[] {
  const said = words.trim();
  if (said === '' || said === 'Unanswered') return [];
  return [asked === undefined ? { words: said } : { asked, words: said }];
}

/** An answer with the user's note; the preview that the user saw is left out. */
function answerIn(text: string): string {
  const noted = text.indexOf('" user notes: ');
  const ends = [noted, text.indexOf('" selected preview:')].filter((at) => at >= 0);
  const end = ends.length > 0 ? Math.min(...ends) : text.lastIndexOf('"');
  const answer = end < 0 ? text : text.slice(0, end);
  if (noted < 0) return answer;
  return `${answer}; ${text.slice(noted + '" user notes: '.length).replace(/,\s{0,4}$/, '')}`;
}

function questionsIn(fields: CallArguments['fields']): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(fields.questions) ? fields.questions.filter(isRecord) : [fields];
}

/** A text, a list, or a record of texts: the chosen answers and the free text. */
function textsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer.replace(/^user_note: /, '')];
  if (Array.isArray(answer)) return answer.flatMap(textsIn);
  return isRecord(answer) ? [answer.answers, answer.selected, answer.freeText].flatMap(textsIn) : [];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
