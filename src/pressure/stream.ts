import { concatMap, Subject, type Observable } from 'rxjs';
import type { Reading } from '../tokens/index.js';
import type { ModelCall, Warning } from '../transcript/index.js';
import { EventHub } from './hub.js';

/** What a refusal names, in tokens. */
interface LearnedFigures {
  readonly contextWindow?: number;
  readonly inputLimit?: number;
}

/** One call of a summarizer, as events tell it. Tokens as reported, where they were. */
export interface BoughtText {
  readonly endpoint: string;
  readonly model?: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost: number | null;
}

/** One thing that happened on an agent path, in order. Subscribers listen; they can neither start nor stop a run. */
export type PressureEvent =
  /** Before each call. */
  | { readonly kind: 'reading'; readonly reading: Reading }
  | { readonly kind: 'triggered'; readonly reading: Reading; readonly reason: string }
  /** A stage has run: told as it ends, before any text is asked for. Of a plan from between turns, when it is taken. */
  | {
      readonly kind: 'firing';
      readonly stage: string;
      readonly outcome: string;
      readonly edits: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly durationMs: number;
    }
  /** The stages behind the last one stay shut. Told when the plan stands, before any text is asked for. */
  | {
      readonly kind: 'short-circuit';
      readonly after: string;
      readonly pressure: number;
      readonly skipped: readonly string[];
    }
  /** A model was asked for text, and this came of it. Told as its answer comes. */
  | { readonly kind: 'model-call'; readonly call: ModelCall }
  | { readonly kind: 'noop'; readonly reason: string }
  /** Compaction was not enough; what an operator can do. */
  | ({ readonly kind: 'warning' } & Warning)
  | {
      readonly kind: 'completed';
      readonly recordId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Milliseconds of planning, waiting for text, and committing. */
      readonly durationMs: number;
      /** Milliseconds that each stage took to plan. */
      readonly stageMs: Readonly<Record<string, number>>;
      /** Calls of a summarizer, in the order they were made. */
      readonly calls: readonly BoughtText[];
    }
  /** A request was written. Milliseconds of everything before it was sent. */
  | {
      readonly kind: 'prepared';
      readonly call: number;
      readonly tokens: number;
      readonly pressure: number;
      readonly unchangedPrefixTokens: number;
      readonly run: string;
      readonly durationMs: number;
    }
  /** Somebody read back what was said; so many pieces were found. */
  | { readonly kind: 'recalled'; readonly pieces: number; readonly durationMs: number }
  /**
   * A compaction waits in the log for the next request. `auto`: a provider reported more than its model takes, and whoever
   * drives the agent's loop ends this step there.
   */
  | { readonly kind: 'queued'; readonly auto: boolean }
  /** A plan waits for an operator. */
  | {
      readonly kind: 'pending';
      readonly plan: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** An operator said yes to it; `completed` says what came of that. */
  | { readonly kind: 'approved'; readonly plan: string; readonly recordId: string }
  | { readonly kind: 'rejected'; readonly plan: string }
  /** Compactions that were taken back, newest first. */
  | { readonly kind: 'undone'; readonly recordIds: readonly string[] }
  /** An operator ended a claim, or took that back: so it is carried from the next commit on. */
  | { readonly kind: 'claim-ended' | 'claim-restored'; readonly claim: string; readonly by: string }
  /** The log ends earlier: so long it is now, and so many messages were left out. */
  | {
      readonly kind: 'rolled-back';
      readonly length: number;
      readonly left: number;
      readonly recordIds: readonly string[];
    }
  /** A refusal named a limit that its model is believed to have from now on. Tokens. */
  | {
      readonly kind: 'limit-learned';
      readonly model: string | null;
      readonly limits: LearnedFigures;
      readonly budget: number;
    }
  /** A client went back, or changed what it had sent: the log is so long now, and so many messages were left out. */
  | { readonly kind: 'rewound'; readonly to: number; readonly left: number }
  /** A request held another conversation than its session: it was given a path of its own. */
  | { readonly kind: 'aside'; readonly agentPath: string }
  /** The store did not do what it was asked, and the session went on without. What waits is stored with the next write. */
  | { readonly kind: 'store-failed'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** A hook of a plugin was called. `outcome`: done, or why nothing came of it; `message` says it in words. */
  | {
      readonly kind: 'plugin-hook';
      readonly plugin: string;
      readonly hook: string;
      readonly outcome: 'done' | 'threw' | 'late' | 'wrong';
      readonly durationMs: number;
      readonly message?: string;
    }
  /** A plugin says something to operators. */
  | {
      readonly kind: 'plugin-said';
      readonly plugin: string;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly message: string;
    }
  /** A subscriber threw: nothing else noticed. Told once for each stream, or a bad one would be told of for ever. */
  | { readonly kind: 'listener-failed'; readonly error: unknown }
  | { readonly kind: 'breaker'; readonly stage: string; readonly state: 'closed' | 'open' | 'half-open' };

type Emit = (event: PressureEvent) => void;

/**
 * The hot subject of one agent path. What is submitted is done one after the other (`concatMap`), and what
 * happens comes out as events.
 */
export class PressureStream {
  readonly #tasks = new Subject<() => Promise<void>>();
  readonly #hub = new EventHub<PressureEvent>((error) => ({ kind: 'listener-failed', error }));
  readonly #onEvent: Emit | undefined;

  /** `onEvent` hears of everything as well, before the subscribers. */
  constructor(onEvent?: Emit) {
    this.#onEvent = onEvent;
    this.#tasks.pipe(concatMap((task) => task())).subscribe();
  }

  /** Everything that happens, in order. Hot: nothing is replayed to late subscribers. */
  get events(): Observable<PressureEvent> {
    return this.#hub.events;
  }

  /** Does this when all that was submitted before is done. What it throws is an event too, and never ends the stream. */
  submit<T>(task: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.next(async () => {
        try {
          resolve(await task());
        } catch (error) {
          this.emit({ kind: 'failed', error });
          reject(error);
        }
      });
    });
  }

  /** Says that something happened, in a run or outside one. */
  emit(event: PressureEvent): void {
    this.#onEvent?.(event);
    this.#hub.emit(event);
  }

  /** Says it to whoever hears of the whole engine, and not to subscribers of this path, who asked for the call themselves. */
  tellEngine(event: PressureEvent): void {
    this.#onEvent?.(event);
  }
}
