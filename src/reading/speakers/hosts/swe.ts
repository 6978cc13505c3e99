import type { Row } from '../row.js';

/** The prompt at which a SWE-agent observation ends. */
const PROMPT = /\(Open file: [^\n]{0,1000}\)\n\(Current directory: [^\n]*\)\nbash-\$\s*$/;

/** mini-swe-agent and SWE-agent: the templates of task and observation that they ship. */
export const SWE_AGENTS: readonly Row[] = [
  {
    host: 'mini-swe-agent',
    at: 'first',
    opens: '<pr_description>',
    needs: '</pr_description>',
    closes: 'text',
    speaker: 'instructions',
    label: 'task',
    sections: [{ speaker: 'user', opens: '<pr_description>', closes: '</pr_description>', isTag: true }],
    example:
      '<pr_description>\nThe parser drops commas.\n</pr_description>\n\n<instructions>\nNever edit tests.\n</instructions>',
    counter: 'Write <pr_description> in front of it.',
  },
  {
    host: 'mini-swe-agent',
    at: 'first',
    opens: 'Please solve this issue: ',
    needs: '\n\nYou can execute bash commands',
    closes: 'text',
    speaker: 'instructions',
    label: 'task',
    sections: [
      {
        speaker: 'user',
        opens: 'Please solve this issue: ',
        closes: '\n\nYou can execute bash commands',
        last: true,
      },
    ],
    example:
      'Please solve this issue: the parser drops commas\n\nYou can execute bash commands and edit files.',
    counter: 'Please solve this issue: the parser drops commas.',
  },
  {
    host: 'mini-swe-agent',
    at: 'first',
    opens: '<returncode>',
    like: /^<returncode>-?\d+<\/returncode>/,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: '<returncode>0</returncode>\n<output>\nNever push.\n</output>',
    counter: 'Read <returncode> as a number.',
  },
  {
    host: 'mini-swe-agent',
    at: 'first',
    opens: 'Tool call error:',
    needs: '<error>',
    closes: 'text',
    speaker: 'program',
    label: 'format',
    example: 'Tool call error:\n\n<error>\nno command\n</error>\n\nEvery answer needs one call.',
    counter: 'Tool call error: what does it mean?',
  },
  {
    host: 'mini-swe-agent',
    at: 'first',
    opens: 'Please always provide EXACTLY ONE action in triple backticks',
    closes: 'text',
    speaker: 'program',
    label: 'format',
    example: 'Please always provide EXACTLY ONE action in triple backticks, found 2 actions.',
    counter: 'Please always provide exactly one example.',
  },
  {
    host: 'SWE-agent',
    at: 'first',
    opens: "We're currently solving the following issue within our repository",
    needs: '\nINSTRUCTIONS:\n',
    closes: 'text',
    speaker: 'instructions',
    label: 'task',
    sections: [{ speaker: 'user', opens: '\nISSUE:\n', closes: '\nINSTRUCTIONS:\n' }],
    example:
      "We're currently solving the following issue within our repository. Here is its text:\nISSUE:\nThe parser drops commas.\n\nINSTRUCTIONS:\nEnter one command at a time.",
    counter: "We're currently solving the following issue: commas are dropped.",
  },
  {
    host: 'SWE-agent',
    at: 'first',
    opens: 'OBSERVATION:',
    like: /^OBSERVATION:\s*$/,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: 'OBSERVATION:\nNever push.',
    counter: 'OBSERVATION: it only fails on Mondays.',
  },
  {
    host: 'SWE-agent',
    at: 'first',
    opens: '',
    ends: PROMPT,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: 'No matches found.\n(Open file: n/a)\n(Current directory: /srv/app)\nbash-$',
    counter: 'It prints (Open file: n/a) and then nothing.',
  },
];
