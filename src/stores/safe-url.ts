/**
 * A URL as it may be shown: without user, password and options. A password may hold signs that its owner did not encode,
 * so everything up to the last @ goes, and all of it where an option may hold an @ too.
 */
export function safeUrl(url: string): string {
  const start = /^[a-z][a-z\d+.-]*:(\/\/)?/i.exec(url)?.[0] ?? '';
  const rest = url.slice(start.length);
  const options = rest.search(/[?#]/);
  const lastAt = rest.lastIndexOf('@');
  if (options >= 0 && lastAt > options) return `${start}...`;
  return start + rest.slice(lastAt + 1, options < 0 ? undefined : options);
}
