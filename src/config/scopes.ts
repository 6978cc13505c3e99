import type { ConfigFault } from './faults.js';
import { treeOf, type Layer } from './layers.js';
import { showPath, valueAt, type Path } from './path.js';

/** Settings of the whole process, which no single agent can have. */
const PROCESS_WIDE: readonly Path[] = [
  ['agents'],
  ['agentFiles'],
  ['store'],
  ['storeMs'],
  ['models'],
  ['counter'],
  ['plugins'],
  ['pluginLimits', 'loadMs'],
  ['fill', 'queue'],
  ['fill', 'work'],
  ['fill', 'maxCostPerHour'],
  ['fill', 'maxTokensPerHour'],
];

/** Settings that define a session; a single run cannot have them either. */
const SESSION_WIDE: readonly Path[] = [
  ['model'],
  ['turns'],
  ['recall'],
  ['redact'],
  ['redactLog'],
  ['pins', 'system'],
  ['pins', 'firstUser'],
  ['pins', 'tools'],
  ['pins', 'patterns'],
  ['pins', 'sources'],
  ['pins', 'root'],
  ['compaction', 'compactor'],
  ['breaker'],
  ['thresholds', 'circuitBreakerFailures'],
  ['thresholds', 'circuitBreakerCooldown'],
  ['pluginLimits'],
  ['knobs'],
  ['server'],
];

const SCOPES = {
  agent: {
    wider: PROCESS_WIDE,
    allowed: 'settings that can differ for one agent',
    remedy: 'This setting is for the whole process: set it outside of `agents`.',
  },
  run: {
    wider: [...PROCESS_WIDE, ...SESSION_WIDE],
    allowed: 'settings that can differ for one run',
    remedy: 'This setting is for whole sessions: set it for all, or for the agent.',
  },
} as const;

/** The faults of an agent's or run's layer at `place`: settings that apply to more than this agent or run. */
export function widerThan(scope: keyof typeof SCOPES, { settings }: Layer, place: Path = []): ConfigFault[] {
  const { wider, allowed, remedy } = SCOPES[scope];
  const all = Object.values(settings);
  return wider.flatMap((wide) => {
    const own = all.filter(({ path }) => wide.every((key, i) => path[i] === key));
    if (own.length === 0) return [];
    const found = valueAt(treeOf(own), wide);
    return [{ subject: showPath([...place, ...wide]), found, allowed, remedy, origin: own[0]!.origin }];
  });
}
