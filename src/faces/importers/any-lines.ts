import type { Notice } from '../../spi/index.js';
import { parseJson } from '../../transcript/index.js';
import { isFields, isKnownRole, kindOf } from '../../formats/index.js';
import { wrongFormat } from './bytes.js';
import { isBody, wireOf } from './recognise.js';
import type { ImportedSession, SessionReader, Taken, WholeImporter } from './recording.js';
import { formatNames, wholeImporters } from './registry.js';

/**
 * Lines that no importer knows by their first few: messages of some wire format, one a line, or a single line that
 * holds a whole request or a whole recording. The objects themselves tell which.
 */
export class AnyLines implements SessionReader {
  readonly #path: string;
  /** Taken for messages whatever the first value looks like: the name that the user gave, or a look at the head. */
  readonly #expected: WholeImporter | undefined;
  readonly #hopeful: boolean;
  readonly #items: unknown[] = [];
  readonly #wholes: { readonly value: unknown; readonly importer: WholeImporter }[] = [];
  readonly #notices: Notice[] = [];

  constructor(path: string, hopeful: boolean, expected?: WholeImporter) {
    this.#path = path;
    this.#hopeful = hopeful;
    this.#expected = expected;
  }

  take(value: unknown, line: number): void {
    if (!isFields(value)) {
      this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: `${kindOf(value)}; skipped` });
      if (this.#hopeful || this.#expected) return;
      throw this.#unknown(kindOf(value));
    }
    if (value.kind === 'meta') {
      this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: 'a meta line; skipped' });
      return;
    }
    const importer = this.#importerOf(value);
    if (importer) this.#wholes.push({ value, importer });
    else if (this.#items.length > 0 || this.#hopeful || this.#expected || isItem(value))
      this.#items.push(value);
    else throw this.#unknown(`objects with ${keysOf(value)}`);
  }

  finish(): ImportedSession {
    const wholes = this.#wholes.length;
    const items = this.#items.length;
    if (wholes > 1 || (wholes === 1 && items > 0)) {
      throw wrongFormat(
        this.#path,
        `${wholes} whole requests and ${items} messages`,
        'the messages of one session, one a line, or one request',
        'Put each conversation into a file of its own.',
      );
    }
    const importer = this.#wholes[0]?.importer ?? this.#expected ?? this.#wireOfItems();
    const { parsed, ...about } = importer.read(this.#wholes[0]?.value ?? this.#items);
    const taken: Taken =
      wholes === 1 ? importer : { name: importer.name, mark: 'its lines are messages in this format' };
    return { taken, ...about, parsed: { ...parsed, notices: [...this.#notices, ...parsed.notices] } };
  }

  #importerOf(value: unknown): WholeImporter | undefined {
    if (this.#expected) return this.#expected.fits(value) || isBody(value) ? this.#expected : undefined;
    return wholeImporters.find((importer) => importer.fits(value));
  }

  #wireOfItems(): WholeImporter {
    const name = wireOf(this.#items)?.format;
    const importer = wholeImporters.find((one) => one.name === name);
    if (!importer) throw this.#unknown(`messages of ${name}`);
    return importer;
  }

  #unknown(found: string) {
    const remedy = 'Convert it to one of these; if it is one of these, name the format.';
    return wrongFormat(this.#path, found, formatNames.join(', '), remedy);
  }
}

/** The first few, as a person reads them. */
function keysOf(value: object): string {
  return Object.keys(value).slice(0, 5).join(', ') || 'no fields';
}

/** Whether an object by itself looks like a message of some wire format. */
function isItem(value: unknown): boolean {
  if (!isFields(value)) return false;
  return isKnownRole(value.role) || value.role === 'model' || wireOf([value])?.format !== 'openai-chat';
}

/** Whether one of the first lines is a message: lines before it may be torn, or say something else. */
export function hasMessageLine(head: string): boolean {
  return FIRST_KEY.test(head) || head.split('\n').some((line) => isItem(parsed(line)));
}

/** For a first line too long to be seen whole. */
const FIRST_KEY = /^\s*\{\s*"(role|messages)"\s*:/;

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
