import { Settings } from '../config/index.js';
import { SpillwayError } from '../errors/index.js';

/**
 * The settings of one agent path: the session's, then those that `agents` has for each of its ancestors, then its own,
 * key by key. Throws `CONFIG_INVALID` naming the agent where what comes out is not valid.
 */
export function settingsOf(settings: Settings, agentPath: string): Settings {
  const names = agentPath.split('/');
  const paths = names.map((_, i) => names.slice(0, i + 1).join('/'));
  const own = paths.filter((path) => settings.agents[path]);
  if (own.length === 0) return settings;
  const merged = own.reduce<unknown>((under, path) => layered(under, settings.agents[path]), settings);
  const parsed = Settings.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: `agents: ${own.join(', ')}`,
    faults: parsed.error.issues.map(({ path, message }) => ({
      subject: `agents.${own.at(-1)}.${path.join('.')}`,
      remedy: message,
    })),
    remedy: 'Mend the settings of that agent.',
  });
}

/** Tables key by key; anything else is replaced whole. */
function layered(under: unknown, over: unknown): unknown {
  if (!isTable(under) || !isTable(over)) return over;
  const keys = Object.entries(over).map(([key, value]) => [key, layered(under[key], value)] as const);
  return { ...under, ...Object.fromEntries(keys) };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
