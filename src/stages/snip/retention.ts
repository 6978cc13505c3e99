import type { ResultPart } from '../../spi/index.js';
import type { SnipOptions } from './options.js';

/** Results that their tool's policy lets expire, by age in turns or by count. Takes all results, oldest first. */
export function expiredOf(results: readonly ResultPart[], options: SnipOptions): Set<ResultPart> {
  const { default: usual, tools } = options.retention;
  const expired = new Set<ResultPart>();
  const newerOf = new Map<string, number>();
  for (const result of [...results].reverse()) {
    const tool = result.tool ?? '';
    const { turns, count } = Object.hasOwn(tools, tool) ? tools[tool]! : usual;
    const newer = newerOf.get(tool) ?? 0;
    newerOf.set(tool, newer + 1);
    const tooOld = turns !== undefined && result.exchange.turnsAgo >= turns;
    const tooMany = count !== undefined && newer >= count;
    if (tooOld || tooMany) expired.add(result);
  }
  return expired;
}

/** Tools that no class of snip may touch. */
export function isEvictable(tool: string | undefined, { protectedTools, retention }: SnipOptions): boolean {
  if (tool === undefined) return true;
  const named = Object.hasOwn(retention.tools, tool) ? retention.tools[tool] : undefined;
  const isProtected = (name: string): boolean => name.toLowerCase() === tool.toLowerCase();
  return named?.neverEvict !== true && !protectedTools.some(isProtected);
}
