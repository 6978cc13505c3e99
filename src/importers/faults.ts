import { SpillwayError } from '../errors/index.js';
import { isFields, kindOf } from '../wire/index.js';

/** The file is not what its importer takes it for. */
export function notASession(importer: string, found: string, allowed: string, remedy: string): SpillwayError {
  return new SpillwayError('INPUT_FORMAT', { subject: `${importer}: the file`, found, allowed, remedy });
}

/** A field of the file that has to be a list. Throws where it is none: the file was named what it is not. */
export function listIn(importer: string, holder: unknown, field: string): readonly unknown[] {
  const list: unknown = isFields(holder) ? holder[field] : undefined;
  if (Array.isArray(list)) return list;
  const found = isFields(holder) ? `no list \`${field}\`` : kindOf(holder);
  const remedy = 'Name the format auto, or the one the file is in.';
  throw notASession(importer, found, `an object with a list \`${field}\``, remedy);
}

/** The only recording of a list. Throws where there are several: which of them is meant only the user knows. */
export function onlyOne<T>(importer: string, list: readonly T[], nameOf: (one: T) => unknown): T {
  const [one] = list;
  if (one !== undefined && list.length === 1) return one;
  const names = list.slice(0, 5).map((each) => String(nameOf(each)));
  const found = `${list.length} recordings${names.length > 0 ? `: ${names.join(', ')}${list.length > 5 ? ', …' : ''}` : ''}`;
  throw notASession(importer, found, 'one recorded session', 'Put each into a file of its own.');
}
