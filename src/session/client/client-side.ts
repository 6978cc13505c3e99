import { PIPELINE_STEPS, touchesReopened, reminderKey } from '../../pipeline/index.js';
import {
  endsOf,
  type CompactionRecord,
  type LogMessage,
  type Message,
  type PlannedEdit,
  type ReadonlyLog,
} from '../../transcript/index.js';
import { withoutHostTrimming } from '../../formats/index.js';
import { checkOptions } from '../arguments.js';
import type { Pieces } from '../wiring.js';
import type { Compared, Followed, FollowedSession, FollowOptions } from './follow.js';

/** The part of a session that serves a client which sends its whole history with each request. */
export class ClientSide {
  /** Request fields for trimming by the host that the audit already lists. */
  readonly #switchedOff = new Set<string>();
  constructor(
    private readonly pieces: Pick<
      Pieces,
      | 'audit'
      | 'follower'
      | 'format'
      | 'gauge'
      | 'history'
      | 'inbox'
      | 'persistence'
      | 'runs'
      | 'stream'
      | 'thread'
    >,
  ) {}

  async follow(body: unknown, options: FollowOptions): Promise<Followed> {
    checkOptions('session.follow', options);
    const { persistence } = this.pieces;
    // Messages that could not be stored may have been stored by other processes that the client sent them to.
    if (persistence.journal?.hasUnsaved) await persistence.whenStored([]);
    const followed = await this.pieces.follower.follow(body, this.#session, options);
    if (followed.rewound) this.pieces.stream.emit({ kind: 'rewound', ...followed.rewound });
    return followed;
  }

  async appendHidden(body: unknown): Promise<void> {
    const { appendedMessages } = this.pieces.thread;
    const messages = this.pieces.format.parse(body).messages.map((message, at) => ({
      ...message,
      id: `own${appendedMessages + at}`,
      unknownToClient: true,
    }));
    await this.pieces.inbox.appendAll(messages);
  }

  async isStranger(body: unknown): Promise<boolean> {
    return this.pieces.follower.isStranger(body, this.#session);
  }

  async compare(body: unknown, { commands = false }: FollowOptions): Promise<Compared> {
    return this.pieces.follower.compare(body, this.#session, commands);
  }

  untrimmed<Body extends object>(body: Body): Body {
    const { body: own, switchedOff } = withoutHostTrimming(body, this.pieces.format.provider?.truncation);
    const fresh = switchedOff.filter((field) => !this.#switchedOff.has(field));
    for (const field of fresh) this.#switchedOff.add(field);
    const reason = 'what a host cuts is in no ledger: these fields of the request were switched off';
    if (fresh.length > 0) this.pieces.audit.add('trimming-off', undefined, { fields: fresh, reason });
    return own;
  }

  /** The session without messages that the client does not know. Each field is read anew: a rewind replaces the log. */
  get #session(): FollowedSession {
    const { thread, gauge, inbox, runs, persistence } = this.pieces;
    return {
      get known() {
        const logged = thread.log.between(0);
        return [...logged, ...(thread.arrivals ?? [])].filter(({ unknownToClient }) => !unknownToClient);
      },
      get view() {
        return thread.projection.view;
      },
      append: (messages) => inbox.appendAll(messages, true),
      rewind: (...leaving) => runs.change(() => persistence.changeStored(() => this.#rewind(...leaving))),
      get branch() {
        return thread.ledger.left.reduce((sum, { count }) => sum + count, 0);
      },
      freeId: (name) => thread.freeId(name),
      fixed(size, recall) {
        gauge.fixed = size;
        gauge.recall = recall;
      },
      ask: () => thread.log.ask(),
    };
  }

  #rewind(...[last, firstRemoved, next, isNoted]: Parameters<FollowedSession['rewind']>): void {
    const { thread, history } = this.pieces;
    const { log } = thread;
    const kept = last && log.find(last.id);
    // Another process removed one of them from the log. The caller compares again with the present log.
    if ((last && !kept) || !log.find(firstRemoved.id)) return;
    const left = log.between(0);
    const stay = left.splice(0, kept ? kept.seq + 1 : 0);
    const removedWords = wordsIn(left.map(({ parts }) => parts));
    for (const { parts } of [...stay, ...next]) for (const word of wordsIn(parts)) removedWords.delete(word);
    const remindersIn = (messages: readonly Message[]): Set<string> =>
      new Set(messages.filter(({ role }) => role === 'system').map(reminderKey));
    const withdrawn = remindersIn(left);
    for (const words of remindersIn(next)) withdrawn.delete(words);
    history.rollBack(stay.length, (live, shorter) => {
      const first = live.findIndex(
        (record) =>
          isOutdated(record, shorter, thread.isPinned, removedWords, isNoted) ||
          reliesOn(record, shorter, withdrawn),
      );
      return first < 0 ? [] : live.slice(first);
    });
  }
}

/**
 * Whether a compaction must be taken off for a shorter log: it reaches past the end, it touches messages that are open
 * or unread again, its author was shown removed messages, or it contains a word that occurs only in them. Earlier
 * compactions remain as they were sent. Summarizers are shown no notes from messages after their span.
 */
function isOutdated(
  { plan }: CompactionRecord,
  shorter: ReadonlyLog,
  isPinned: (message: LogMessage) => boolean,
  words: ReadonlySet<string>,
  isNoted: boolean,
): boolean {
  if (plan.inputs.logLength <= shorter.length) return false;
  return plan.edits.some(
    (edit) =>
      (edit.kind === 'supersede' && (isByPlugin(edit) || (!isNoted && isByModel(edit)))) ||
      !shorter.find(endsOf(edit)[1]) ||
      touchesReopened(edit, shorter, isPinned) ||
      [...wordsIn(edit.kind === 'replace' ? edit.content : edit.replacement)].some((word) => words.has(word)),
  );
}

/** Whether a compaction removed a reminder as a duplicate of one that the client now takes back. */
function reliesOn({ plan }: CompactionRecord, shorter: ReadonlyLog, withdrawn: ReadonlySet<string>): boolean {
  return (
    plan.inputs.logLength > shorter.length &&
    plan.edits.some(
      (edit) =>
        edit.kind === 'supersede' &&
        edit.fromId === edit.toId &&
        withdrawn.has(reminderKey(shorter.find(edit.fromId)!)),
    )
  );
}

/** A model or a plugin may describe the newest messages in its own words. */
const isByModel = ({ replacement }: Supersede): boolean =>
  replacement.some(({ generation }) => generation !== undefined);
const isByPlugin = ({ stage }: Supersede): boolean => BY_PLUGINS.has(stage);
type Supersede = Extract<PlannedEdit, { kind: 'supersede' }>;
const BY_PLUGINS = new Set<string>([PIPELINE_STEPS.delegate, PIPELINE_STEPS.carriedByPlugin]);

/**
 * Words of fewer than four letters occur in any text and identify nothing. After a backslash the first letter may
 * belong to an escape (`\n`), so both readings are kept.
 */
const wordsIn = (value: unknown): Set<string> => {
  const found = JSON.stringify(value).match(/\\?[\p{L}\p{N}]{4,}/gu) ?? [];
  return new Set(found.flatMap((word) => (word.startsWith('\\') ? [word.slice(1), word.slice(2)] : word)));
};
