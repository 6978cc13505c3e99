import { withoutTemplateMarks } from '../../digest/index.js';
import type { Message } from '../../transcript/index.js';

/** The message that stands for a run of tool exchanges: what the assistant said in them, and a line on their calls. */
export function digestMessage(handle: string, lines: readonly string[]): Message {
  return {
    id: `digest:${handle}`,
    role: 'assistant',
    origin: 'synthetic',
    label: 'digest',
    parts: [{ type: 'text', text: withoutTemplateMarks(lines.join('\n')) }],
  };
}
