import { z } from 'zod/v4';

/** What `counter` and `summarizer` may be without plugins. */
export const COUNTERS = ['auto', 'o200k_base', 'cl100k_base', 'heuristic'] as const;
export const SUMMARIZERS = ['none', 'extractive', 'model'] as const;

const ms = (description: string) => z.int().min(1).max(3_600_000).describe(description);

/** Which plugins are loaded. A path or a package's name each; nothing else is ever loaded. */
export const PluginNames = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Plugins to load: names of packages, or paths (./plugins/mine) taken from the file that names them. Their knobs stand under knobs.',
  );

export const PluginLimits = z
  .strictObject({
    loadMs: ms('Milliseconds that a plugin may take to load, and again to open.').default(10_000),
    preCompactMs: ms('Milliseconds that its hook before a compaction may take.').default(5_000),
    postCompactMs: ms('Milliseconds that its hook behind one may take.').default(5_000),
    compactMs: ms('Milliseconds that a compactor may take; then the oldest is dropped.').default(60_000),
  })
  .prefault({})
  .describe('How long plugins are waited for.');
