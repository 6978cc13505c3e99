import type { Json, Overflow, SessionStore } from '../spi/index.js';
import type { Limits } from '../tokens/index.js';

/** Scope of the stored values that say what refusals have proven, by model. */
const SCOPE = 'learned-limits';

/** No model that agents use takes less: a smaller figure was quoted, not meant. */
const MIN_LIMIT = 1_000;
/** Counts are never off by more: a limit above this multiple of our count cannot be why a request was refused. */
const MISCOUNT = 1.5;
/** So much of a refused request is taken to fit where nobody says what does. */
const BELOW_REFUSED = 0.95;
/** Threads that are remembered of each model and tenant: two that agree prove a limit. */
const MAX_THREADS = 8;
/** Tenants that are remembered of each model, those that were told something newest. */
const MAX_TENANTS = 64;

/** What a refusal proves of a model. */
export interface ProvenLimits extends Limits {
  /** Tokens kept free for the answer where a request asks for none, by the provider or by its SDK unseen. */
  readonly reserved?: number;
}

/** What is known of the request that was refused. */
export interface RefusedRequest {
  /** Input, as it was read. */
  readonly tokens: number;
  /** Room for the answer that the provider counts with it. */
  readonly output: number;
  /** Most input that went through before, as it was reported. */
  readonly passed: number;
}

/** Why a limit that a refusal names cannot be true; undefined where nothing speaks against it. */
export function doubtOf(refusal: Overflow, request: RefusedRequest | undefined): string | undefined {
  const limit = limitOf(refusal);
  if (limit === undefined) return 'it names no limit';
  if (limit < MIN_LIMIT) return `no model takes only ${limit} tokens`;
  if (!request) return 'no request of this session was refused';
  if (limit < request.passed) return `a request of ${request.passed} tokens went through`;
  const isCounted = isPlausible(refusal, request);
  const output = Math.max(request.output, isCounted ? (refusal.output ?? 0) : 0);
  const counted = isCounted ? (refusal.requested ?? (refusal.input ?? 0) + output) : 0;
  const held = Math.max(counted, MISCOUNT * request.tokens + output);
  if (limit >= held) return `the request held only about ${request.tokens} tokens`;
  return undefined;
}

/** Whether what a provider says it counted can be the request that it refused. */
export function isPlausible({ requested, input }: Overflow, { tokens, output }: RefusedRequest): boolean {
  const counted = input ?? requested;
  return counted !== undefined && counted >= tokens / 3 && counted <= 3 * tokens + output;
}

/** What refusals that name no limit come to: less than was refused, and what went through, where that was as large. */
export function limitBelow({ tokens, passed }: RefusedRequest): ProvenLimits {
  const inputLimit = Math.max(passed, Math.floor(BELOW_REFUSED * tokens));
  return inputLimit < MIN_LIMIT || inputLimit >= tokens ? {} : { inputLimit };
}

export const limitsIn = ({ contextWindow, inputLimit, reserved }: ProvenLimits): ProvenLimits => ({
  ...(contextWindow !== undefined && { contextWindow }),
  ...(inputLimit !== undefined && { inputLimit }),
  ...(reserved !== undefined && { reserved }),
});

export const limitOf = ({ contextWindow, inputLimit }: Limits): number | undefined =>
  contextWindow === undefined || inputLimit === undefined
    ? (contextWindow ?? inputLimit)
    : Math.min(contextWindow, inputLimit);

/** What refusals have taught of one model. */
export interface LearnedLimit {
  readonly model: string;
  /** What each thread was told, newest last. */
  readonly seen: readonly SeenLimit[];
  /** What holds for every session of a tenant: at least two threads of it were told the same. */
  readonly proven: readonly TenantLimit[];
}

/** What the refusals of one tenant have proven: another may have other keys, and could be lied to by this one. */
export interface TenantLimit extends ProvenLimits {
  /** '' for sessions of nobody in particular. */
  readonly tenant: string;
}

/** What one thread was told of a model. */
export interface SeenLimit extends ProvenLimits {
  /** Session id and agent path. */
  readonly thread: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A thread as limits name it. */
export const threadName = (sessionId: string, agentPath: string): string => `${sessionId}/${agentPath}`;

/** Whose session a thread is of: as the service names sessions of tenants, before a colon. */
export const tenantOf = (thread: string): string => /^([a-z0-9][a-z0-9-]{0,62}):/.exec(thread)?.[1] ?? '';

/** What holds for a thread: what it was told itself, and what two others of its tenant agree on. */
export function provenFor({ seen, proven }: LearnedLimit, thread: string): ProvenLimits | undefined {
  const tenant = tenantOf(thread);
  return seen.findLast((one) => one.thread === thread) ?? proven.findLast((one) => one.tenant === tenant);
}

/** What a thread of the tenant was told last that a refused request was over; undefined where none was. */
export function limitTold(
  { seen }: LearnedLimit,
  thread: string,
  request: RefusedRequest,
): ProvenLimits | undefined {
  const isOver = (told: ProvenLimits): boolean =>
    (limitOf(told) ?? Infinity) < request.tokens && doubtOf(told, request) === undefined;
  const told = seen.findLast((one) => tenantOf(one.thread) === tenantOf(thread) && isOver(limitsIn(one)));
  return told && limitsIn(told);
}

/** What refusals taught of each model. */
export async function learnedLimits(store: SessionStore): Promise<readonly LearnedLimit[]> {
  const byModel = new Map<string, StoredLimit[]>();
  for (const one of await storedLimits(store))
    byModel.set(one.model, [...(byModel.get(one.model) ?? []), one]);
  return [...byModel].map(([model, seen]) => ({
    model,
    seen: seen.map(({ model: _, name: __, ...one }) => one),
    proven: provenBy(seen),
  }));
}

/** Keeps what a thread was told, and the newest of what others were. */
export async function noteLimit(store: SessionStore, model: string, seen: SeenLimit): Promise<void> {
  const name = JSON.stringify([model, seen.thread]);
  await store.setValue(SCOPE, name, { ...seen, model } as unknown as Json);
  const known = (await storedLimits(store)).filter((one) => one.model === model);
  const kept = new Set(newestOf(known).map((one) => one.name));
  for (const one of known) if (!kept.has(one.name)) await store.setValue(SCOPE, one.name, undefined);
}

/** No tenant's threads push out another's. */
function newestOf(seen: readonly StoredLimit[]): readonly StoredLimit[] {
  const kept: StoredLimit[] = [];
  const counts = new Map<string, number>();
  for (const one of seen.toReversed()) {
    const tenant = tenantOf(one.thread);
    const count = counts.get(tenant) ?? 0;
    if (count >= MAX_THREADS || (count === 0 && counts.size >= MAX_TENANTS)) continue;
    counts.set(tenant, count + 1);
    kept.push(one);
  }
  return kept;
}

/** Forgets what was learned of a model, or of all of them. Says of how many. */
export async function forgetLimits(store: SessionStore, model?: string): Promise<number> {
  const known = (await storedLimits(store)).filter((one) => model === undefined || one.model === model);
  for (const { name } of known) await store.setValue(SCOPE, name, undefined);
  return new Set(known.map((one) => one.model)).size;
}

/** What one thread was told, as it is stored: each a value of its own, so that none who writes beside another loses theirs. */
interface StoredLimit extends SeenLimit {
  readonly model: string;
  readonly name: string;
}

/** Oldest first. */
async function storedLimits(store: SessionStore): Promise<readonly StoredLimit[]> {
  const values = (await store.values(SCOPE)) as unknown as Readonly<
    Record<string, Omit<StoredLimit, 'name'>>
  >;
  return Object.entries(values)
    .map(([name, one]) => ({ ...one, name }))
    .toSorted((a, b) => a.at - b.at);
}

/** Of each tenant what two of its threads agree on, the newest where they agree on more. */
function provenBy(seen: readonly StoredLimit[]): readonly TenantLimit[] {
  const proven = new Map<string, TenantLimit>();
  for (const [at, one] of seen.entries()) {
    const tenant = tenantOf(one.thread);
    const agrees = (other: SeenLimit): boolean =>
      other.thread !== one.thread && tenantOf(other.thread) === tenant && isSame(one, other);
    if (seen.slice(0, at).some(agrees)) proven.set(tenant, { tenant, ...limitsIn(one) });
  }
  return [...proven.values()];
}

export const isSame = (a: ProvenLimits, b: ProvenLimits): boolean =>
  a.contextWindow === b.contextWindow && a.inputLimit === b.inputLimit && a.reserved === b.reserved;
