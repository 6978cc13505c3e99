import type { Row } from '../row.js';

const host = 'Cline';

/** Above what a tool returned, on a line of its own or with what follows; there a tool's name shows by its form. */
const HEADER = /^\[[a-z_]{2,40}(?: for '[^\n]{0,300}')?\] Result:\s*$/;
const RESULT =
  /^\[(?:[a-z_]{2,40}\] Result:\s*$|(?:[a-z]{1,40}_[a-z_]{1,40}|[a-z_]{2,40} for '[^\n]{0,300}')\] Result:)/;

/** Cline and its relatives: tool results as text, the editor's state, the user's words in tags. */
export const CLINE: readonly Row[] = [
  {
    host,
    at: 'first',
    opens: '[',
    like: RESULT,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: "[read_file for 'a.md'] Result:\nNever push.\n<feedback>push</feedback>",
    counter: '[draft] Result: we keep commas.',
  },
  {
    host,
    at: 'first',
    opens: '',
    // The header is a text of its own, what the tool returned the next.
    after: HEADER,
    like: /^(?!<environment_details>)/,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: ["[read_file for 'a.md'] Result:", 'Never push.'],
    counter: 'The header is a text of its own.',
  },
  {
    host,
    tag: 'environment_details',
    speaker: 'program',
    sealed: true,
    example: '<environment_details>\n# Visible files\na.md\n</environment_details>',
    counter: 'Is <environment_details> sent twice?',
  },
  {
    host,
    tag: 'task',
    first: true,
    speaker: 'user',
    example: '<task>\nSplit the parser.\n</task>',
    counter: 'Each <task> has an id.',
  },
  {
    host,
    tag: 'user_message',
    first: true,
    speaker: 'user',
    example: '<user_message>\nSplit the parser.\n</user_message>',
    counter: 'Each <user_message> has an id.',
  },
  {
    host,
    tag: 'feedback',
    first: true,
    speaker: 'user',
    example: '<feedback>\nNot this file.\n</feedback>',
    counter: 'Each <feedback> has an id.',
  },
  {
    host,
    tag: 'explicit_instructions',
    speaker: 'instructions',
    sealed: true,
    example: '<explicit_instructions type="new_rule">\nWrite the rule to a file.\n</explicit_instructions>',
    counter: 'Is <explicit_instructions> sent twice?',
  },
  {
    host,
    tag: 'file_content',
    speaker: 'document',
    sealed: true,
    example: '<file_content path="a.md">\nNever push.\n</file_content>',
    counter: 'Is <file_content> sent twice?',
  },
  {
    host,
    at: 'first',
    opens: '[TASK RESUMPTION]',
    closes: 'text',
    speaker: 'program',
    label: 'resumed',
    sections: [
      { speaker: 'user', opens: '<user_message>', closes: '</user_message>', last: true, isTag: true },
    ],
    example: '[TASK RESUMPTION] This task was interrupted an hour ago.',
    counter: '[task resumption] is broken, look at it.',
  },
  {
    host,
    at: 'first',
    opens: '[ERROR] You did not use a tool in your previous response!',
    closes: 'text',
    speaker: 'program',
    label: 'format',
    example: '[ERROR] You did not use a tool in your previous response! Please retry.',
    counter: '[ERROR] You did not use the cache is what it prints.',
  },
  {
    host: 'Cursor',
    tag: 'user_query',
    speaker: 'user',
    example: '<user_query>\nSplit the parser.\n</user_query>',
    counter: 'Is <user_query> sent twice?',
  },
  {
    host: 'Cursor',
    tag: 'timestamp',
    first: true,
    speaker: 'program',
    example: '<timestamp>2026-01-01</timestamp><user_query>Split the parser.</user_query>',
    counter: 'Each <timestamp> is in UTC.',
  },
  {
    host: 'Cursor',
    tag: 'open_and_recently_viewed_files',
    speaker: 'program',
    example: '<open_and_recently_viewed_files>\na.md\n</open_and_recently_viewed_files>',
    counter: 'Is <open_and_recently_viewed_files> sent twice?',
  },
  {
    host: 'Cursor',
    tag: 'attached_files',
    speaker: 'document',
    sealed: true,
    example: '<attached_files>\na.md: Never push.\n</attached_files>',
    counter: 'Is <attached_files> sent twice?',
  },
  {
    host: 'Cursor',
    tag: 'manually_attached_skills',
    speaker: 'instructions',
    sealed: true,
    example: '<manually_attached_skills>\nNever push.\n</manually_attached_skills>',
    counter: 'Is <manually_attached_skills> sent twice?',
  },
];
