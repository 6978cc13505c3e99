import { join } from 'node:path';
import { ContainerModule } from 'inversify';
import { asksForText, chooseSummarizer, type AgentConfig, type EffectiveConfig } from '../config/index.js';
import { packageFolder } from '../package-folder.js';
import type { Summarizer } from '../spi/index.js';
import type { OpenFiller } from '../summarizers/index.js';
import type { Catalogue, PriceOf } from '../tokens/index.js';
import type { EnginePlugins } from './config.js';
import { OWN, optional, SERVICES, type Kept, type Opening } from './services.js';

/** Who writes the text of compactions. */
export const textWing = new ContainerModule(({ bind }) => {
  bind(OWN.Fillers).toResolvedValue(fillersOf, [
    SERVICES.Config,
    OWN.Opening,
    SERVICES.Catalogue,
    SERVICES.PriceOf,
    OWN.Plugins,
    OWN.Kept,
    optional(SERVICES.Summarizer),
  ]);
});

/** The configuration of every agent. */
export const configsOf = (config: EffectiveConfig): readonly AgentConfig[] => [
  config,
  ...Object.values(config.agents),
];

/** Who fills slots under each configuration that asks for text; what is wrong with any of them is told here. */
async function fillersOf(
  config: EffectiveConfig,
  { env = {} }: Opening,
  catalogue: Catalogue,
  priceOf: PriceOf,
  { loaded }: EnginePlugins,
  { store }: Kept,
  summarizer: Summarizer | undefined,
): Promise<ReadonlyMap<AgentConfig, OpenFiller>> {
  const fillers = new Map<AgentConfig, OpenFiller>();
  const promptFolder = join(packageFolder(), 'config', 'prompts');
  for (const own of configsOf(config)) {
    if (!asksForText(chooseSummarizer(own.settings, summarizer?.name))) continue;
    // Breakers and prompts are loaded only here: without a summarizer nothing waits for them.
    const { openFillers } = await import('../summarizers/index.js');
    const open = await openFillers({
      settings: { ...own.settings, agents: {} },
      env,
      ...(summarizer && { summarizer }),
      brought: loaded.flatMap(({ summarizers = [] }) => summarizers),
      promptFolder,
      limitsOf: (model) => catalogue.lookup(model),
      priceOf,
      ...(store && { store }),
    });
    fillers.set(own, open);
  }
  const { prompts, promptFiles } = config.settings.fill;
  // An operator's folder of prompts is whole at load, whoever summarises.
  if (prompts !== null && fillers.size === 0) {
    const { promptsFor } = await import('../summarizers/index.js');
    await promptsFor({ ours: promptFolder, theirs: prompts, files: promptFiles });
  }
  return fillers;
}
