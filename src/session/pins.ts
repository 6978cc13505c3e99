import type { AgentConfig } from '../config/index.js';
import { isToolCall, isToolResult, textOf, type LogMessage, type ReadonlyLog } from '../transcript/index.js';

export interface PinRules {
  /** System messages are pins. */
  readonly system: boolean;
  /** The opening of the log is pinned: the first user message, and other messages that state the task. */
  readonly firstUser: boolean;
  /** Tools whose results are pins, such as what a sub-agent returns. */
  readonly tools?: readonly string[];
  /** Patterns: a message whose text matches one is a pin. */
  readonly patterns?: readonly string[];
  /** Further predicates, from the operator. */
  readonly also?: readonly ((message: LogMessage) => boolean)[];
}

/** Decides which messages are pins. The answer must not change: rendering again must give the same bytes. */
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

/** Whether a message holds a result of one of these tools. The tool's name may be in the result or only in its call. */
function isHandBack(message: LogMessage, tools: readonly string[], log: ReadonlyLog): boolean {
  if (tools.length === 0) return false;
  const results = message.parts.filter(isToolResult);
  if (results.some(({ name }) => name !== undefined && tools.includes(name))) return true;
  const unnamed = results.filter(({ name }) => name === undefined).map(({ callId }) => callId);
  if (unnamed.length === 0) return false;
  const calls = log.exchangeOf(message.seq).seqs.flatMap((seq) => log.at(seq).parts.filter(isToolCall));
  return calls.some(({ callId, name }) => unnamed.includes(callId) && tools.includes(name));
}

/** Tools whose results no stage may touch, because `neverEvict` in their retention marks them as durable facts. */
export function factTools({ stages }: Pick<AgentConfig, 'stages'>): readonly string[] {
  const { snip } = stages as { readonly snip?: { readonly retention?: { readonly tools?: Retentions } } };
  const tools = Object.entries(snip?.retention?.tools ?? {});
  return tools.flatMap(([tool, { neverEvict }]) => (neverEvict === true ? [tool] : []));
}

type Retentions = Readonly<Record<string, { readonly neverEvict?: boolean }>>;
