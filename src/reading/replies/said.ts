import { isRecord, type CallArguments } from '../../facts/index.js';

/** What the user said in the result of a call, and the question that it answers, where one was asked. */
export interface Said {
  readonly asked?: string;
  readonly words: string;
}

/** Reads what the user said: `rest` is the result behind the words that open it. */
export type ReadSaid = (given: CallArguments, rest: string) => readonly Said[];

/** What hosts put behind the user's words. */
const BEHIND = [
  '\n<system-reminder>',
  '\n<environment_details>',
  "\nNote: The user's next message may contain a correction or preference.",
];
/** Fixed words by which Claude Code says that the user took the questions back; answers that were given follow. */
const CLARIFIES = 'The user wants to clarify these questions.';
/** A question that was left out. */
const UNANSWERED = 'Unanswered';

/** The user only said yes or no. */
export const noWords: ReadSaid = () => [];

/** All of it, up to what the host adds; with the question of a call that asks one. */
export const plainWords: ReadSaid = ({ fields }, rest) => {
  const words = withoutBehind(rest);
  if (words.startsWith(CLARIFIES)) return clarified(words);
  return saidOf(textIn(fields.question), words);
};

/** Between the opening and the words that close it. */
export const wordsUpTo =
  (closes: string): ReadSaid =>
  (given, rest) => {
    const end = rest.indexOf(closes);
    return end < 0 ? [] : plainWords(given, rest.slice(0, end));
  };

/** `"question"="answer", "question"="answer". You can now …`, by the questions that were asked. */
export const pairs: ReadSaid = ({ fields }, rest) => {
  const end = rest.lastIndexOf('. You can now continue');
  const list = end < 0 ? rest : rest.slice(0, end);
  const asked = questionsIn(fields).flatMap(({ question }) => textIn(question) ?? []);
  const places: { readonly question: string; readonly at: number; readonly from: number }[] = [];
  for (const question of asked) {
    const mark = `"${question}"="`;
    const at = list.indexOf(mark, places.at(-1)?.from ?? 0);
    if (at >= 0) places.push({ question, at, from: at + mark.length });
  }
  return places.flatMap(({ question, from }, i) =>
    saidOf(question, answerIn(list.slice(from, places[i + 1]?.at ?? list.length))),
  );
};

/** `{"answers": …}`, by the name, the heading or the place of the question. */
export const record: ReadSaid = ({ fields }, rest) => {
  const answers = answersIn(rest);
  const questions = questionsIn(fields);
  return Object.entries(answers).flatMap(([key, answer]) => {
    const asked =
      questions.find(({ id, header, question }) => [id, header, question].includes(key)) ??
      questions[Number(key)];
    return saidOf(textIn(asked?.question), textsIn(answer).join(', '));
  });
};

/** `{"status":"denied", …,"feedback":"…"}`. */
export const feedback: ReadSaid = (_given, rest) => {
  const value = parsed(rest);
  return saidOf(undefined, isRecord(value) ? (textIn(value.feedback) ?? '') : '');
};

function saidOf(asked: string | undefined, words: string): Said[] {
  const said = words.trim();
  if (said === '' || said === UNANSWERED) return [];
  return [asked === undefined ? { words: said } : { asked, words: said }];
}

function withoutBehind(text: string): string {
  const ends = BEHIND.map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends)).trim();
}

/** An answer with what a user noted beside it; a preview that was shown to him is left out. */
function answerIn(text: string): string {
  const noted = text.indexOf('" user notes: ');
  const previewed = text.indexOf('" selected preview:');
  const ends = [noted, previewed].filter((at) => at >= 0);
  const end = ends.length > 0 ? Math.min(...ends) : text.lastIndexOf('"');
  const answer = end < 0 ? text : text.slice(0, end);
  if (noted < 0) return answer;
  return `${answer}; ${text.slice(noted + '" user notes: '.length).replace(/,\s{0,4}$/, '')}`;
}

/** `- "question"`, and below it `Answer: …` or that there was none. */
function clarified(words: string): Said[] {
  const lines = words.split('\n').map((line) => line.trim());
  return lines.flatMap((line, i) => {
    const [, asked] = /^- "(.{1,2000})"$/.exec(line) ?? [];
    const [, answer] = /^Answer: (.{1,4000})$/.exec(lines[i + 1] ?? '') ?? [];
    return asked === undefined || answer === undefined ? [] : saidOf(asked, answer);
  });
}

function questionsIn(fields: CallArguments['fields']): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(fields.questions) ? fields.questions.filter(isRecord) : [fields];
}

function answersIn(text: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  const answers = isRecord(value) ? value.answers : undefined;
  return isRecord(answers) ? answers : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text, several, or a record of them: what was chosen, and what was written beside it. */
function textsIn(answer: unknown): string[] {
  if (typeof answer === 'string') return [answer.replace(/^user_note: /, '')];
  if (Array.isArray(answer)) return answer.flatMap(textsIn);
  if (!isRecord(answer)) return [];
  return [answer.answers, answer.selected, answer.freeText].flatMap(textsIn);
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
