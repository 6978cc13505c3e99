import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { typeFaults } from './compilers.js';
import { expected } from './doors.js';
import { installed, program, type Packed } from './project.js';

/** The oldest supported versions of zod; with zod 3 a stage's options come from `zod/v4`. */
const ZODS = [
  { zod: '3.25.76', from: 'zod/v4' },
  { zod: '4.0.0', from: 'zod' },
];

/** A user's other version of zod remains: stages that use it run, compile and show their descriptions. */
export async function checkZods(packed: Packed): Promise<string[]> {
  const faults = ZODS.map(({ zod, from }) => {
    const project = installed(packed, `zod-${zod}`, [`zod@${zod}`]);
    const twice = existsSync(join(project, 'node_modules', 'spillway', 'node_modules'));
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules/zod/package.json'), 'utf8')) as {
      version: string;
    };
    const ran = program(
      project,
      'stage.mjs',
      transformSync(stage(from), { loader: 'ts', target: 'es2022' }).code,
    );
    return [
      ...(twice || version !== zod ? [`zod ${zod} became ${version}, twice: ${twice}`] : []),
      ...expected(`zod ${zod}`, ran, 'watcher {"mood":"busy"} 5 How it looks.'),
      ...typeFaults(project, { 'stage.ts': stage(from) }).map((fault) => `zod ${zod}: ${fault}`),
    ];
  });
  return faults.flat();
}

const stage = (from: string): string => `
  import { createSpillway, defineStage } from 'spillway';
  import { z } from '${from}';
  const watcher = defineStage({
    name: 'watcher',
    summary: 'Looks and proposes nothing.',
    options: z.strictObject({ mood: z.string().default('calm').describe('How it looks.'), most: z.int().min(1).default(5) }),
    plan: (view, { options }) => {
      const most = Math.min(options.most, view.exchanges.length);
      return { edits: options.mood === 'busy' && most < 0 ? [] : [] };
    },
  });
  const spillway = await createSpillway({
    stages: [watcher],
    settings: { roster: [{ stage: 'watcher', opensAt: 0.8 }, 'full'], stages: { watcher: { mood: 'busy' } } },
  });
  const { name, options } = spillway.stages[0]!;
  const { most, ...rest } = options as { most: number };
  const entry = spillway.config.entries.find(({ path }) => path === 'stages.watcher.mood');
  console.log(name, JSON.stringify(rest), most, entry?.description);
`;
