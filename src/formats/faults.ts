import { SpillwayError } from '../errors/index.js';

/** What was read is not what its importer takes it for. */
export function notASession(importer: string, found: string, allowed: string, remedy: string): SpillwayError {
  return new SpillwayError('INPUT_FORMAT', { subject: `${importer}: the file`, found, allowed, remedy });
}

/** A list of recordings is read where it holds just one: which of many is meant only the user knows. */
export function onlyOne<T>(importer: string, list: readonly T[], nameOf: (one: T) => unknown): T {
  const [one] = list;
  if (one !== undefined && list.length === 1) return one;
  const names = list.slice(0, 5).map((each) => String(nameOf(each)));
  const found = `${list.length} recordings${names.length > 0 ? `: ${names.join(', ')}${list.length > 5 ? ', …' : ''}` : ''}`;
  throw notASession(importer, found, 'one recorded session', 'Put each into a file of its own.');
}

/** The error of a wire format for input that is not of it; `pass` is what it wants instead. */
export function notOfFormat(
  format: string,
  allowed: string,
  pass: string,
): (subject: string, found: string) => SpillwayError {
  const remedy = `Pass ${pass}, or name the format the file is in.`;
  return (subject, found) =>
    new SpillwayError('INPUT_FORMAT', { subject: `${format}: ${subject}`, found, allowed, remedy });
}
