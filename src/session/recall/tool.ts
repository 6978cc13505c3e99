import { RECALL_TOOL } from '../../transcript/index.js';

/** The definition of the tool by which an agent reads back what was compacted; its arguments go to `session.recall`. */
export const recallTool = {
  name: RECALL_TOOL,
  description:
    'Reads back the original text of earlier messages of this session that are no longer shown: their passages, each with a handle. ' +
    'Give the handle that stands in a "[recall ...]" mark, or words to search for, or both to search in what the handle names. ' +
    'Names, paths and error texts are found letter by letter. To read on, give the handle that the answer ends with.',
  parameters: {
    type: 'object',
    properties: {
      handle: {
        type: 'string',
        description:
          'What was left out, as its mark names it: m12, m12#0, m3..m9, "m4, m69", or m80@1200 to read on.',
      },
      query: { type: 'string', description: 'Words to search for.' },
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Most passages to give. Default 20.' },
    },
    additionalProperties: false,
  },
} as const;
