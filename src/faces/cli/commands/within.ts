import { existsSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { openStore, type Session } from '../../../index.js';
import type { SessionStore } from '../../../spi/index.js';
import type { Plan } from '../../../transcript/index.js';
import { openStored } from '../../operations/index.js';
import { closing, sourcesOf, withEngine, type EngineOptions } from '../open.js';
import { type Terminal, visible } from '../terminal.js';

/** Options of the commands for kept sessions; each takes some of them. */
export interface StoredOptions extends EngineOptions {
  /** Absent: as the settings name it. */
  readonly store?: string;
  readonly json?: boolean;
  readonly agent?: string;
  readonly transcript?: boolean;
  readonly includeSuperseded?: boolean;
  readonly record?: string;
  readonly to?: string;
  readonly notes?: string;
  readonly target?: number;
  readonly propose?: boolean;
  readonly preview?: boolean;
  readonly call?: number;
  readonly calls?: boolean;
  readonly find?: string;
  readonly handle?: string;
  readonly query?: string;
  readonly limit?: number;
  /** A model; true: all. */
  readonly forget?: string | true;
  readonly maxTokens?: number;
  readonly drop?: readonly number[];
  readonly keep?: readonly string[];
  /** As PLACE=FILE. */
  readonly text?: readonly string[];
}

/** What a command says: JSON for programs, lines for people. */
export interface Said {
  readonly value: unknown;
  readonly lines: () => readonly string[];
}

/** A command: does what its options say to what is named before them in the command line, and shows what came of it. */
export type Action = (options: StoredOptions, terminal: Terminal, names: readonly string[]) => Promise<void>;

/** What a command does in one session; `names` follow its id in the command line. */
export type SessionAction = (within: Within, ...names: string[]) => Said | Promise<Said>;

export interface Within {
  readonly session: Session;
  readonly options: StoredOptions;
}

export function show({ value, lines }: Said, { json }: StoredOptions, terminal: Terminal): void {
  if (json) terminal.out(`${JSON.stringify(value)}\n`);
  else for (const line of lines()) terminal.out(`${visible(line, '\\n')}\n`);
}

/** What a plan does, one line for each edit, with the places that `edit` takes. */
export function editLines({ edits }: Plan): readonly string[] {
  return edits.map((edit, place) => {
    const span = edit.kind === 'replace' ? edit.messageId : `${edit.fromId}..${edit.toId}`;
    return `${String(place).padStart(4)}  ${edit.stage}  ${edit.kind} ${span}  ${edit.reason}`;
  });
}

/** Checks the options, opens the session that is named first, and closes it behind the act. Rejects with `SESSION_UNKNOWN`. */
export function inSession(act: SessionAction, check?: (options: StoredOptions) => void): Action {
  return async (options, terminal, [id = '', ...names]) => {
    check?.(options);
    const sources = sourcesOf(options, terminal, await storeOf(options, terminal));
    return withEngine(sources, async (spillway) => {
      const agentPath = options.agent ?? 'primary';
      if (!(await spillway.store.load({ sessionId: id, agentPath }))) {
        throw new SpillwayError('SESSION_UNKNOWN', {
          subject: 'session',
          found: agentPath === 'primary' ? id : `${id}, agent ${agentPath}`,
          remedy: 'spillway sessions lists those of a store.',
        });
      }
      const session = await openStored(spillway, { sessionId: id, agentPath }, options.model);
      show(await act({ session, options }, ...names), options, terminal);
    });
  };
}

/** The same for what stands in no session. */
export function inStore(act: (store: SessionStore, options: StoredOptions) => Promise<Said>): Action {
  return async (options, terminal) => {
    const store = await openStore(await storeOf(options, terminal));
    return closing([store], async () => show(await act(store, options), options, terminal));
  };
}

/** URL of the store: `--store`, else the setting, which SPILLWAY_STORE names too. What it names has to be there. */
export async function storeOf(options: StoredOptions, terminal: Terminal): Promise<string> {
  const store =
    options.store ??
    (await withEngine(sourcesOf(options, terminal, null), (spillway) => spillway.config.settings.store));
  if (store === null) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'store',
      found: 'nothing',
      allowed: 'sqlite:FILE, postgres://HOST/NAME',
      remedy: 'Name it with --store, in SPILLWAY_STORE, or as `store` in your configuration.',
    });
  }
  mustBeThere(store);
  return store;
}

/** Opening makes the file that is missing; who asks what a file holds has only misspelt its name. */
function mustBeThere(store: string): void {
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(store)?.[1];
  if (file === undefined || file === ':memory:' || existsSync(file)) return;
  throw new SpillwayError('INPUT_UNREADABLE', {
    subject: store,
    found: 'no such file',
    remedy: 'Check the path; a store is made by the first session that is kept in it.',
  });
}
