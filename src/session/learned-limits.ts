import type { Json, Overflow, SessionStore } from '../spi/index.js';
import type { Limits } from '../tokens/index.js';

/** Scope of the stored limits that refusals have proven, by model. */
const SCOPE = 'learned-limits';

/** No model that agents use takes less: a smaller figure in a refusal is not the limit. */
const MIN_LIMIT = 1_000;
/** Our counts are never off by more: a limit above this multiple of our count cannot be the reason for a refusal. */
const MAX_MISCOUNT = 1.5;
/** If a refusal names no limit, this share of the refused request is assumed to fit. */
const ASSUMED_SHARE = 0.95;
/** Most threads that are remembered for each model and tenant. Two threads that agree prove a limit. */
const MAX_THREADS = 8;
/** Most tenants that are remembered for each model: those with the newest refusals. */
const MAX_TENANTS = 64;

/** The limits of a model that a refusal proves. */
export interface ProvenLimits extends Limits {
  /** Tokens that the provider or its SDK keeps free for the answer if a request names no limit for it. */
  readonly reserved?: number;
}

/** The known sizes of a refused request. */
export interface RefusedRequest {
  /** Input tokens according to the reading. */
  readonly tokens: number;
  /** Tokens for the answer that the provider counts with the input. */
  readonly output: number;
  /** Most input tokens that were reported for an accepted request. */
  readonly accepted: number;
}

/** Why a limit that a refusal names cannot be true; undefined if it is plausible. */
export function doubtOf(refusal: Overflow, request: RefusedRequest | undefined): string | undefined {
  const limit = limitOf(refusal);
  if (limit === undefined) return 'it names no limit';
  if (limit < MIN_LIMIT) return `no model takes only ${limit} tokens`;
  if (!request) return 'no request of this session was refused';
  if (limit < request.accepted) return `a request of ${request.accepted} tokens went through`;
  const isCounted = isPlausible(refusal, request);
  const output = Math.max(request.output, isCounted ? (refusal.output ?? 0) : 0);
  const counted = isCounted ? (refusal.requested ?? (refusal.input ?? 0) + output) : 0;
  const held = Math.max(counted, MAX_MISCOUNT * request.tokens + output);
  if (limit >= held) return `the request held only about ${request.tokens} tokens`;
  return undefined;
}

/** Whether the count in a refusal can be that of the refused request. */
export function isPlausible({ requested, input }: Overflow, { tokens, output }: RefusedRequest): boolean {
  const counted = input ?? requested;
  return counted !== undefined && counted >= tokens / 3 && counted <= 3 * tokens + output;
}

/** The input limit to assume if a refusal names none: less than was refused, but at least what was accepted before. */
export function limitBelow({ tokens, accepted }: RefusedRequest): ProvenLimits {
  const inputLimit = Math.max(accepted, Math.floor(ASSUMED_SHARE * tokens));
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

/** The limits of one model that refusals have taught. */
export interface LearnedLimit {
  readonly model: string;
  /** The limits that each thread was told, newest last. */
  readonly seen: readonly SeenLimit[];
  /** Limits that hold for every session of a tenant, because at least two of its threads were told the same. */
  readonly proven: readonly TenantLimit[];
}

/** The limits proven for one tenant. Another tenant may use other keys, and must not be fooled by false ones. */
export interface TenantLimit extends ProvenLimits {
  /** '' for sessions that belong to no tenant. */
  readonly tenant: string;
}

/** The limits of a model that one thread was told. */
export interface SeenLimit extends ProvenLimits {
  /** Session id and agent path. */
  readonly thread: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Name of a thread in stored limits. */
export const threadName = (sessionId: string, agentPath: string): string => `${sessionId}/${agentPath}`;

/** Tenant of a thread: the part of its name before a colon, as the service names the sessions of tenants. */
export const tenantOf = (thread: string): string => /^([a-z0-9][a-z0-9-]{0,62}):/.exec(thread)?.[1] ?? '';

/** The limits of a thread: those it was told itself, otherwise those that two threads of its tenant agree on. */
export function provenFor({ seen, proven }: LearnedLimit, thread: string): ProvenLimits | undefined {
  const tenant = tenantOf(thread);
  return seen.findLast((one) => one.thread === thread) ?? proven.findLast((one) => one.tenant === tenant);
}

/** The newest limit that a thread of the tenant was told and that the refused request exceeds; undefined if none. */
export function peerLimit(
  { seen }: LearnedLimit,
  thread: string,
  request: RefusedRequest,
): ProvenLimits | undefined {
  const isOver = (told: ProvenLimits): boolean =>
    (limitOf(told) ?? Infinity) < request.tokens && doubtOf(told, request) === undefined;
  const told = seen.findLast((one) => tenantOf(one.thread) === tenantOf(thread) && isOver(limitsIn(one)));
  return told && limitsIn(told);
}

/** The limits that refusals taught, by model. */
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

/** Stores the limits that a thread was told, and deletes the oldest of those that others were told. */
export async function storeLimit(store: SessionStore, model: string, seen: SeenLimit): Promise<void> {
  const name = JSON.stringify([model, seen.thread]);
  await store.setValue(SCOPE, name, { ...seen, model } as unknown as Json);
  const known = (await storedLimits(store)).filter((one) => one.model === model);
  const kept = new Set(newestLimits(known).map((one) => one.name));
  for (const one of known) if (!kept.has(one.name)) await store.setValue(SCOPE, one.name, undefined);
}

/** The newest limits to keep. The threads of one tenant do not displace those of another. */
function newestLimits(seen: readonly StoredLimit[]): readonly StoredLimit[] {
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

/** Forgets the learned limits of a model, or of all models. Returns the number of models. */
export async function forgetLimits(store: SessionStore, model?: string): Promise<number> {
  const known = (await storedLimits(store)).filter((one) => model === undefined || one.model === model);
  for (const { name } of known) await store.setValue(SCOPE, name, undefined);
  return new Set(known.map((one) => one.model)).size;
}

/** A stored limit of one thread. Each thread has its own value, so that processes that write at once lose nothing. */
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

/** For each tenant the limits that two of its threads agree on; if they agree on several, the newest. */
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
