import type { Row } from '../row.js';

const host = 'pi';

/** Recorded sessions, and how its published source writes commands, summaries and branches as messages. */
export const PI: readonly Row[] = [
  {
    host,
    at: 'first',
    opens: 'Ran `',
    like: /^Ran `[^\n]{1,400}$/,
    ends: /(?:\n```|\(no output\))(?:\n\n(?:\(command cancelled\)|Command exited with code \d+))?(?:\n\n\[Output truncated\.[^\]]*\])?\s*$/,
    closes: 'text',
    speaker: 'output',
    label: 'shell',
    example: 'Ran `npm test`\n```\n1 failed\n```\n\nCommand exited with code 1',
    counter: 'Ran `npm test`\n```\n1 failed\n```\nnow fix it',
  },
  {
    host,
    at: 'first',
    opens: 'The conversation history before this point was compacted into the following summary:',
    needs: '<summary>',
    closes: 'text',
    speaker: 'program',
    label: 'compaction',
    sections: [{ speaker: 'summary', opens: '<summary>', closes: '</summary>', last: true, isTag: true }],
    example:
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nThe parser was split.\n</summary>',
    counter: 'The conversation history before this point was compacted, repeat the plan.',
  },
  {
    host,
    at: 'first',
    opens: 'The following is a summary of a branch that this conversation came back from:',
    needs: '<summary>',
    closes: 'text',
    speaker: 'program',
    label: 'branch',
    sections: [{ speaker: 'summary', opens: '<summary>', closes: '</summary>', last: true, isTag: true }],
    example:
      'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nThe other way failed.</summary>',
    counter: 'The following is a summary of a branch, put it into the changelog.',
  },
];
