import type { Row } from '../row.js';

const host = 'Gemini CLI';

/** The start of a session, files named with `@`, hooks, and its compression. */
export const GEMINI_CLI: readonly Row[] = [
  {
    host,
    tag: 'session_context',
    speaker: 'program',
    example: '<session_context>\nThis is the Gemini CLI.\n</session_context>',
    counter: 'Is <session_context> sent twice?',
  },
  {
    host,
    at: 'first',
    opens: 'This is the Gemini CLI. We are setting up the context for our chat.',
    closes: 'text',
    speaker: 'program',
    label: 'setup',
    example: 'This is the Gemini CLI. We are setting up the context for our chat.\nThe system is linux.',
    counter: 'This is the Gemini CLI, is it not?',
  },
  {
    host,
    tag: 'state_snapshot',
    speaker: 'summary',
    sealed: true,
    example: '<state_snapshot>\n<overall_goal>Split the parser.</overall_goal>\n</state_snapshot>',
    counter: 'Is <state_snapshot> sent twice?',
  },
  {
    host,
    tag: 'hook_context',
    speaker: 'program',
    sealed: true,
    example: '<hook_context>The branch is main.</hook_context>',
    counter: 'Is <hook_context> sent twice?',
  },
  {
    host,
    at: 'line',
    opens: '--- Content from referenced files ---',
    like: /^--- Content from referenced files ---\s*$/,
    closes: { words: '--- End of content ---' },
    spansParts: true,
    speaker: 'document',
    label: 'files',
    example:
      '--- Content from referenced files ---\nContent from @a.md:\nNever push.\n--- End of content ---',
    counter: 'The marker `--- Content from referenced files ---` must stay.',
  },
  {
    host,
    at: 'first',
    opens: 'System: Please continue.',
    like: /^System: Please continue\.\s*$/,
    closes: 'line',
    speaker: 'program',
    label: 'go on',
    example: 'System: Please continue.',
    counter: 'System: Please continue. is what I see, where does it come from?',
  },
];
