import type { Notice } from '../../spi/index.js';

/** Every repair that a wire format makes or reports, by the name that its notices carry in all formats. */
export type RepairKind =
  /* Calls and their results. */
  | 'interrupted-call'
  | 'late-result'
  | 'duplicate-result'
  | 'orphan-result'
  | 'orphan-output'
  | 'orphan-approval'
  | 'displaced-result'
  | 'results-joined'
  | 'result-mended'
  | 'call-mended'
  | 'unlisted-call'
  | 'no-calls'
  | 'words-of-tool'
  /* Names and ids. */
  | 'missing-call-id'
  | 'missing-result-id'
  | 'call-id'
  | 'tool-name'
  | 'duplicate-id'
  | 'equal-item-ids'
  /* Content of calls and results. */
  | 'arguments-not-json'
  | 'arguments-not-text'
  | 'output-not-text'
  | 'response-not-object'
  | 'not-an-object'
  /* Text, files and unknown content. */
  | 'lone-surrogate'
  | 'empty-text'
  | 'no-content'
  | 'unknown-content'
  | 'unknown-part'
  | 'unknown-role'
  | 'two-in-a-part'
  | 'foreign-part'
  | 'file-named'
  | 'file-type'
  | 'cache-mark'
  /* Thinking. */
  | 'foreign-reasoning'
  | 'unsigned-reasoning'
  | 'unbound-reasoning'
  | 'dangling-reasoning'
  /* Turns. */
  | 'begins-with-assistant'
  | 'ends-with-assistant'
  | 'no-user-between'
  | 'turn-between'
  | 'merged-turns'
  | 'midway-instructions'
  | 'nothing-said'
  | 'new-chain';

/** Reports a repair: its kind, and what was repaired. */
export type Report = (kind: RepairKind, what: string) => void;

/** A `Report` that notes repairs under `at`: a message's id, or `request`. */
export function reporter(at: string, notices: Notice[]): Report {
  return (kind, what) => void notices.push({ at, kind, what });
}

/** Descriptions of repairs that several formats make. */
export const REPAIRS = {
  surrogates: 'halves of surrogate pairs cannot be encoded; sent as U+FFFD',
  unknownRole: (role: string) => `role ${role} is not known; read as a program's words`,
  unknownPart: (place: number, found: string) => `part ${place} is ${found}; kept as it is`,
  toolName: (tool: string, name: string) => `the tool ${tool} is called ${name} here`,
  foreignPart: (kind: string, bytes: number) =>
    `${kind} (${bytes} bytes) has no place in this format and is not sent`,
  foreignReasoning: 'thinking of another provider is not sent',
  dangling: 'reasoning that led to nothing is refused; not sent',
  midway: 'instructions midway have no place here; sent as a labelled user message',
  displaced: (ids: string) => `moved up to its call ${ids}`,
  wordsOfTool:
    'words behind a response that only says it went well are read as its output; send the user’s own in a turn of their own',
  silent: 'a message that says nothing is left out',
  beginsWithAssistant: 'the log begins with the assistant; a line of the user is put first',
  endsWithAssistant: 'the log ends with the assistant; a line of the user is put last',
} as const;
