import type { Row } from '../row.js';

const host = 'LangChain';

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
    closes: 'text',
    speaker: 'output',
    label: 'observation',
    example: 'Observation: Never push to main.',
    counter: 'My observation: it only fails on Mondays.',
  },
];
