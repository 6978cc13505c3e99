import { verbOf } from '../facts/index.js';
import { textOf, type ToolCallPart, type ToolResultPart } from '../transcript/index.js';
import { answer, noteOf } from './call-note.js';
import { outcomeOf } from './outcome.js';

/** What a result is, and how its call ended. */
export interface ResultNote {
  /** It shows what stands somewhere: where that speaks of failures, nothing has failed. */
  readonly isLook: boolean;
  /** `passed` of tests, builds and linters alone. */
  readonly ending: 'failed' | 'passed' | 'unknown';
  /** One line of the tool's own words on how it ended; '' where it has none. */
  readonly line: string;
}

/** Reads a result by what was asked; by its words alone where the call is not known. */
export function noteOfResult(call: ToolCallPart | undefined, result: ToolResultPart): ResultNote {
  const text = textOf(result);
  if (!call) {
    const verb = verbOf(result.name ?? '');
    const isLook = (verb === 'read' || verb === 'search') && result.isError !== true;
    const ending = result.isError === true ? 'failed' : 'unknown';
    return { isLook, ending, line: isLook ? '' : outcomeOf(text, result.isError) };
  }
  const note = noteOf(call, { seq: 0, id: '' });
  answer(note, result);
  const failed = note.ending === 'failed' || note.ending === 'not run';
  const isLook = (note.kind === 'read' || note.kind === 'search') && !failed;
  const isCheck = note.checks.length > 0 && note.ending === 'passed';
  return { isLook, ending: failed ? 'failed' : isCheck ? 'passed' : 'unknown', line: note.outcome ?? '' };
}
