import { existsSync } from 'node:fs';
import { SpillwayError } from '../../errors/index.js';
import type { Session } from '../../index.js';
import type { Plan } from '../../transcript/index.js';
import { sourcesOf, withEngine, type EngineOptions } from '../engine.js';
import { EXIT } from '../exit.js';
import type { Terminal } from '../terminal.js';
import { visible } from '../visible.js';

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
  readonly call?: number;
  readonly calls?: boolean;
  readonly find?: string;
  readonly handle?: string;
  readonly query?: string;
  readonly limit?: number;
  /** A model; true: all. */
  readonly forget?: string | true;
  /** `ref` of a claim. */
  readonly end?: string;
  readonly restore?: string;
  /** Who acts. */
  readonly by?: string;
  readonly maxTokens?: number;
  readonly drop?: readonly number[];
  readonly keep?: readonly string[];
  /** As PLACE=FILE. */
  readonly text?: readonly string[];
}

export type Show = (value: unknown, lines: () => readonly string[]) => void;

/** JSON for programs, lines for people. */
export function showing({ json }: StoredOptions, terminal: Terminal): Show {
  return (value, lines) => {
    if (json) terminal.out(`${JSON.stringify(value)}\n`);
    else for (const line of lines()) terminal.out(`${visible(line, '\\n')}\n`);
  };
}

/** What a plan does, one line for each edit, with the places that `edit` takes. */
export function editLines({ edits }: Plan): readonly string[] {
  return edits.map((edit, place) => {
    const span = edit.kind === 'replace' ? edit.messageId : `${edit.fromId}..${edit.toId}`;
    return `${String(place).padStart(4)}  ${edit.stage}  ${edit.kind} ${span}  ${edit.reason}`;
  });
}

/** Opens a session that is kept, acts on it and closes it. Rejects with `SESSION_UNKNOWN`. */
export async function within(
  id: string,
  options: StoredOptions,
  terminal: Terminal,
  act: (session: Session) => Promise<void>,
): Promise<number> {
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
    await act(await spillway.open({ id, agentPath }));
    return EXIT.done;
  });
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
