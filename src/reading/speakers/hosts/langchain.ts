import type { Row } from '../row.js';

const host = 'LangChain';

/** An agent that asks in plain text names what it does, or shows a call of some form. */
const ASKED = /(?:^|\n)[ \t*#]{0,8}(?:Thought|Action|Act|Tool|Command|Code|Input)\b|```|[<{]/i;

/** The summarization middleware, and the text protocol of ReAct agents. */
export const LANGCHAIN: readonly Row[] = [
  {
    host,
    at: 'first',
    opens: 'Here is a summary of the conversation to date:',
    closes: 'text',
    speaker: 'summary',
    label: 'summarization',
    frame: 'program',
    example: 'Here is a summary of the conversation to date:\n\nThe parser was split.',
    counter: 'Here is a summary of the conversation I had with sales: they want commas.',
  },
  {
    host: 'ReAct',
    at: 'first',
    opens: 'Observation:',
    answers: ASKED,
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: 'Observation: Never push to main.',
    counter: 'My observation: it only fails on Mondays.',
  },
];
