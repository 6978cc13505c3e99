import type { AgentConfig } from '../config/index.js';
import { isToolCall, isToolResult, textOf, type LogMessage, type ReadonlyLog } from '../transcript/index.js';

export interface PinRules {
  /** System messages are pins. */
  readonly system: boolean;
  /** The first user message is a pin, and what else sets out the work. */
  readonly firstUser: boolean;
  /** Tools whose results are pins: what a sub-agent hands back. */
  readonly tools?: readonly string[];
  /** Patterns of words that make a message a pin. */
  readonly patterns?: readonly string[];
  /** Operator predicates, on top. */
  readonly also?: readonly ((message: LogMessage) => boolean)[];
}

/** The always-keep set. It must not change its mind about a message: rendering again has to give the same bytes. */
export function pinPredicate(rules: PinRules, log: ReadonlyLog): (message: LogMessage) => boolean {
  const patterns = (rules.patterns ?? []).map((source) => new RegExp(source, 'u'));
  return (message) =>
    message.pinned === true ||
    (rules.system && message.role === 'system') ||
    (rules.firstUser && log.isOpening(message)) ||
    isHandBack(message, rules.tools ?? [], log) ||
    patterns.some((pattern) => message.parts.some((part) => pattern.test(textOf(part)))) ||
    (rules.also?.some((predicate) => predicate(message)) ?? false);
}

/** Holds the result of one of these tools, which may be named by the result or only by its call. */
function isHandBack(message: LogMessage, tools: readonly string[], log: ReadonlyLog): boolean {
  if (tools.length === 0) return false;
  const results = message.parts.filter(isToolResult);
  if (results.some(({ name }) => name !== undefined && tools.includes(name))) return true;
  const unnamed = results.filter(({ name }) => name === undefined).map(({ callId }) => callId);
  if (unnamed.length === 0) return false;
  const calls = log.exchangeOf(message.seq).seqs.flatMap((seq) => log.at(seq).parts.filter(isToolCall));
  return calls.some(({ callId, name }) => unnamed.includes(callId) && tools.includes(name));
}

/** Tools whose results no stage may touch, because their retention says that they are durable facts. */
export function factTools({ stages }: Pick<AgentConfig, 'stages'>): readonly string[] {
  const { snip } = stages as { readonly snip?: { readonly retention?: { readonly tools?: Retentions } } };
  const tools = Object.entries(snip?.retention?.tools ?? {});
  return tools.flatMap(([tool, { neverEvict }]) => (neverEvict === true ? [tool] : []));
}

type Retentions = Readonly<Record<string, { readonly neverEvict?: boolean }>>;
