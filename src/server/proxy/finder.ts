import { commonLength, type Fingerprint } from './fingerprint.js';

/** How a session was found. */
export type SessionMatch =
  /** The history goes on from what the session knows (`isWhole`), or only changed what no answer stands behind. */
  | { readonly how: 'same'; readonly sessionId: string; readonly common: number; readonly isWhole: boolean }
  /** It leaves the session's history where an answer stood: both go on. */
  | { readonly how: 'fork'; readonly sessionId: string; readonly common: number }
  /** It begins otherwise and ends alike: its client has compacted it. */
  | { readonly how: 'trailing'; readonly sessionId: string }
  | { readonly how: 'new' };

/** Newest exchanges that are remembered of each session, and looked for in a history that begins otherwise. */
const TRAILING = 16;

/** What the histories of a scope's sessions are known to say, newest session last. */
export class SessionFinder {
  readonly #most: number;
  readonly #known = new Map<string, Fingerprint>();
  /** First message -> sessions that begin with it. */
  readonly #byHead = new Map<string, Set<string>>();
  /** Exchange -> sessions that hold it near their end. */
  readonly #byExchange = new Map<string, Set<string>>();

  /** `most`: sessions that are remembered; the one heard of least recently goes first. */
  constructor(most: number) {
    this.#most = most;
  }

  knows(sessionId: string): boolean {
    return this.#known.has(sessionId);
  }

  /** What the sessions sent that begin with a message. */
  alike(head: string): readonly Fingerprint[] {
    return [...(this.#byHead.get(head) ?? [])].map((sessionId) => this.#known.get(sessionId)!);
  }

  /** The session that was heard of last. */
  get newest(): string | undefined {
    return [...this.#known.keys()].at(-1);
  }

  /** What a session's client sent last. */
  learn(sessionId: string, print: Fingerprint): void {
    this.forget(sessionId);
    this.#known.set(sessionId, print);
    this.#index(print, (index, key) => {
      const sessions = index.get(key) ?? new Set();
      index.set(key, sessions.add(sessionId));
    });
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.forget(oldest);
  }

  forget(sessionId: string): void {
    const print = this.#known.get(sessionId);
    if (!print) return;
    this.#known.delete(sessionId);
    this.#index(print, (index, key) => {
      const sessions = index.get(key);
      sessions?.delete(sessionId);
      if (sessions?.size === 0) index.delete(key);
    });
  }

  /** The session that a history belongs to: of the longest common beginning, else of a trailing exchange that one has alone. */
  find(print: Fingerprint): SessionMatch {
    const [head] = print.hashes;
    if (head === undefined) return { how: 'new' };
    let best: { readonly sessionId: string; readonly common: number; readonly left: number } | undefined;
    for (const sessionId of this.#byHead.get(head) ?? []) {
      const { hashes } = this.#known.get(sessionId)!;
      const common = commonLength(hashes, print.hashes);
      const left = hashes.length - common;
      // Of two that agree as far, the one that has nothing else; then the newer one.
      if (!best || common > best.common || (common === best.common && left <= best.left))
        best = { sessionId, common, left };
    }
    if (!best) return this.#trailing(print);
    const { sessionId, common } = best;
    if (this.#leavesAnswers(sessionId, print, common)) return { how: 'fork', sessionId, common };
    return { how: 'same', sessionId, common, isWhole: best.left === 0 };
  }

  /** Whether behind the common part the session holds words of the model that the history does not have in their place. */
  #leavesAnswers(sessionId: string, { hashes }: Fingerprint, common: number): boolean {
    const known = this.#known.get(sessionId)!;
    for (let at = common; at < known.hashes.length; at++)
      if (known.byModel[at] && known.hashes[at] !== hashes[at]) return true;
    return false;
  }

  #trailing(print: Fingerprint): SessionMatch {
    const holding = new Set<string>();
    for (const exchange of newestExchanges(print))
      for (const sessionId of this.#byExchange.get(exchange) ?? []) holding.add(sessionId);
    const [only] = holding;
    return only !== undefined && holding.size === 1 ? { how: 'trailing', sessionId: only } : { how: 'new' };
  }

  #index(print: Fingerprint, apply: (index: Map<string, Set<string>>, key: string) => void): void {
    const [head] = print.hashes;
    if (head !== undefined) apply(this.#byHead, head);
    for (const exchange of new Set(newestExchanges(print))) apply(this.#byExchange, exchange);
  }
}

/** What the model said with what was said to it next, which hardly two conversations share. */
function newestExchanges({ hashes, byModel }: Fingerprint): readonly string[] {
  const found: string[] = [];
  for (let at = hashes.length - 2; at >= 0 && found.length < TRAILING; at--)
    if (byModel[at] && !byModel[at + 1]) found.push(hashes[at]! + hashes[at + 1]!);
  return found;
}
