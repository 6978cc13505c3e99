import { isRecord } from '../../../transcript/index.js';
import { isPathLike, normalizePath, type Touch } from './paths.js';

type Fields = Readonly<Record<string, unknown>>;

/** Parameters by normalized name: `file_path`, `filePath`, `FilePath` are `filepath`. */
export type Parameters = ReadonlyMap<string, unknown>;

const normalized = (key: string) => key.replaceAll(/[_-]/g, '').toLowerCase();
const list = (names: string) => new Set(names.split(' '));

const PATHS = list(
  'path filepath file filename absolutepath targetfile relativepath targetpath notebookpath uri fileuri',
);
const PATH_LISTS = list('paths files filepaths filenames');
const DIRECTORIES = list('workdir cwd workingdirectory workingdir');
const COMMANDS = list('command cmd script shellcommand commandline bashcommand commands');
const RANGES =
  /^(offset|limit|(view|line)?range|ranges|(start|end|first|last|from|to)(line|lineno|linenumber)?|(line|lines)(start|end|from|to|count|number)?|linenumber|head|tail|pages?|spanids|classnames?|functionnames?|symbols?)$/;
/** Parameters that tell how or why a call is made, not what it asks. */
const INCIDENTAL =
  /^(description|explanation|reason|justification|thoughts?|purpose|timeout(ms|seconds)?|yieldtimems|max(output)?tokens|maxoutputlength|runinbackground|isbackground|blocking)$/;

/** A file that a call names, and the requested part; without `range` the whole file. */
export type Target = Pick<Touch, 'path' | 'range'>;

export function parametersOf(fields: Fields): Parameters {
  const parameters = new Map<string, unknown>();
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value !== null && value !== '') parameters.set(normalized(key), value);
  }
  return parameters;
}

export function isIncidental(key: string): boolean {
  return INCIDENTAL.test(normalized(key));
}

/** The directory that a call names as its working directory, or ''. */
export function directoryOf(parameters: Parameters): string {
  const given = valueOf(parameters, DIRECTORIES);
  return typeof given === 'string' && isPathLike(given) ? normalizePath(given) : '';
}

/** The command line of a call: a text, or a list of words or lines. */
export function commandOf(parameters: Parameters): string | readonly string[] | undefined {
  const given = valueOf(parameters, COMMANDS);
  if (typeof given === 'string' && given !== '') return given;
  return Array.isArray(given) && given.length > 0 && given.every((word) => typeof word === 'string')
    ? given
    : undefined;
}

/** The files that a call names, each with the requested part. */
export function targetsOf(parameters: Parameters, directory: string): Target[] {
  const named = (path: unknown, within: Parameters): Target[] => {
    if (typeof path !== 'string' || !isPathLike(path)) return [];
    const range = rangeOf(within);
    return [{ path: normalizePath(path, directory), ...(range !== undefined && { range }) }];
  };
  const one = named(valueOf(parameters, PATHS), parameters);
  if (one.length > 0) return one;
  const many = valueOf(parameters, PATH_LISTS);
  if (!Array.isArray(many)) return [];
  return many.flatMap((entry: unknown) => {
    if (!isRecord(entry)) return named(entry, parameters);
    const own = parametersOf(entry);
    return named(valueOf(own, PATHS), own);
  });
}

/** The requested part of a file, in one spelling; undefined for the whole file. */
function rangeOf(parameters: Parameters): string | undefined {
  const chosen: string[] = [];
  for (const [name, value] of parameters) {
    if (!RANGES.test(name)) continue;
    const text = JSON.stringify(value) ?? '';
    // "From the first line" alone, an empty list, and `[1,-1]` request the whole file.
    if (text === '[]' || text === '[1,-1]') continue;
    if (/^(offset|start.*|from.*)$/.test(name) && (text === '0' || text === '1')) continue;
    chosen.push(`${name}=${text}`);
  }
  return chosen.length === 0 ? undefined : chosen.sort().join(',');
}

function valueOf(parameters: Parameters, names: ReadonlySet<string>): unknown {
  for (const [name, value] of parameters) if (names.has(name)) return value;
  return undefined;
}
