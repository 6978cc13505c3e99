/**
 * Masks the marks by which chat templates begin or end a turn (`<|im_start|>system`): text of users and tools is in a
 * message of the assistant here, and must not open another speaker's message.
 */
export function withoutTemplateMarks(text: string): string {
  return text.replaceAll('<|', '‹|');
}
