/** Text of others inside our own: in quotation marks that it cannot close. */
export function quoted(text: string): string {
  return `“${text.replace(/[“”]/g, '"')}”`;
}
