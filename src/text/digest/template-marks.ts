/**
 * The same text with nothing in it that a chat template takes for the begin or end of a turn (`<|im_start|>system`): the
 * words of users and tools stand in a message of the assistant here, and must not open one of another speaker's.
 */
export function withoutTemplateMarks(text: string): string {
  return text.replaceAll('<|', '‹|');
}
