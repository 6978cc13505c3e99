import { actionOf, innerCall, parseArguments } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { REPLY_FORMS, type Verdict } from './forms.js';
import type { Said } from './said.js';

/** What a user said to a call in its result. */
export interface Reply {
  readonly verdict: Verdict;
  /** Each answer with its question; empty where he only said yes or no. */
  readonly said: readonly Said[];
}

/** A longer result is what a program printed. In characters. */
const MOST_CHARS = 60_000;

/** Reads the parts of a log in order for what users said in results of calls. */
export class ReplyReader {
  /** By call id: calls that wait for their result. */
  readonly #open = new Map<string, ToolCallPart>();
  /** The format marks failures: a refusal without the mark is what a program printed. */
  #hasFlags = false;

  /** Undefined for all but a result that holds a reply. */
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
    if (output.length > MOST_CHARS) return undefined;
    const mayBe = REPLY_FORMS.filter(
      ({ opens, isFlagged }) =>
        (isFlagged === undefined || result.isError === true || !this.#hasFlags) && opens.test(output),
    );
    if (mayBe.length === 0) return undefined;
    const { name, given } = innerCall(call.name, parseArguments(call.arguments));
    // What looks at something shows the words of others, and may begin as a host does.
    const { kind } = actionOf(call);
    const asksForLeave = kind === 'write' || kind === 'run' || result.isError === true || asksUser(name);
    const form = mayBe.find(({ tools }) => (tools === undefined ? asksForLeave : tools.test(name)));
    if (!form) return undefined;
    const rest = output.slice(form.opens.exec(output)![0].length);
    return { verdict: form.verdict, said: form.says(given, rest) };
  }
}

/** Whether a host asks the user himself by this tool. */
const asksUser = (tool: string): boolean => REPLY_FORMS.some(({ tools }) => tools?.test(tool));

/** The user's own words in a reply, joined by blank lines; '' where there are none. */
export function wordsOf({ said }: Reply): string {
  return said.map(({ words }) => words).join('\n\n');
}
