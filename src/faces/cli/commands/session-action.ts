import { existsSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { openStore, type Session } from '../../../index.js';
import type { SessionStore } from '../../../spi/index.js';
import type { Plan } from '../../../transcript/index.js';
import { openStored } from '../../operations/index.js';
import { closeAfter, sourcesOf, withEngine, type EngineOptions } from '../open.js';
import { EXIT, type Terminal, visible } from '../terminal.js';

/** Options of the commands for stored sessions. Each command takes some of them. */
export interface StoredOptions extends EngineOptions {
  /** Default: the setting `store`. */
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
  /** The name of a model; true for all models. */
  readonly forget?: string | true;
  readonly maxTokens?: number;
  readonly drop?: readonly number[];
  readonly keep?: readonly string[];
  /** Each as PLACE=FILE. */
  readonly text?: readonly string[];
}

/** The output of a command: JSON for programs, lines for people. */
export interface Output {
  readonly value: unknown;
  readonly lines: () => readonly string[];
  /** The exit code, if it is not that of a command that is done. */
  readonly exit?: number;
}

/** Acts, with its options, on the names before the options in the command line; shows the result; gives the exit code. */
export type Action = (options: StoredOptions, terminal: Terminal, names: string[]) => Promise<number>;

/** The action of a command in one session. `names` follow the session's id in the command line. */
export type SessionAction = (within: Scope, ...names: string[]) => Output | Promise<Output>;

export interface Scope {
  readonly session: Session;
  readonly options: StoredOptions;
}

export function show({ value, lines, exit }: Output, { json }: StoredOptions, terminal: Terminal): number {
  if (json) terminal.out(`${JSON.stringify(value)}\n`);
  else for (const line of lines()) terminal.out(`${visible(line, '\\n')}\n`);
  return exit ?? EXIT.done;
}

/** The edits of a plan, one line each, with the places that `edit` takes. */
export function editLines({ edits }: Plan): readonly string[] {
  return edits.map((edit, place) => {
    const span = edit.kind === 'replace' ? edit.messageId : `${edit.fromId}..${edit.toId}`;
    return `${String(place).padStart(4)}  ${edit.stage}  ${edit.kind} ${span}  ${edit.reason}`;
  });
}

/** Checks the options, opens the session named first, acts, and closes it. Rejects with `SESSION_UNKNOWN`. */
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
          remedy: 'spillway sessions lists the sessions of a store.',
        });
      }
      const session = await openStored(spillway, { sessionId: id, agentPath }, options.model);
      return show(await act({ session, options }, ...names), options, terminal);
    });
  };
}

/** Opens the store for an action that concerns no session, and closes it after the action. */
export function inStore(act: (store: SessionStore, options: StoredOptions) => Promise<Output>): Action {
  return async (options, terminal) => {
    const store = await openStore(await storeOf(options, terminal));
    return closeAfter([store], async () => show(await act(store, options), options, terminal));
  };
}

/** The store's URL: `--store`, or else the setting, which SPILLWAY_STORE also sets. The store must exist. */
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
  checkExists(store);
  return store;
}

/** Opening would create a missing file. For a command that reads a store, a missing file means a misspelt name. */
function checkExists(store: string): void {
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(store)?.[1];
  if (file === undefined || file === ':memory:' || existsSync(file)) return;
  throw new SpillwayError('INPUT_UNREADABLE', {
    subject: store,
    found: 'no such file',
    remedy: 'Check the path. A store is created with its first session.',
  });
}
