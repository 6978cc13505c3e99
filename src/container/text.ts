import { join } from 'node:path';
import { ContainerModule, type ResolutionContext } from 'inversify';
import { asksForText, chooseSummarizer, type AgentConfig } from '../config/index.js';
import { packageFolder } from '../package-folder.js';
import type { OpenFiller } from '../summarizers/index.js';
import { OWN, SERVICES } from './services.js';

/** Who writes the text of compactions. */
export const textWing = new ContainerModule(({ bind }) => {
  bind(OWN.Fillers).toDynamicValue(fillersOf);
});

/** Who fills slots under each configuration that asks for text; what is wrong with any of them is told here. */
async function fillersOf({
  get,
  getAsync,
}: ResolutionContext): Promise<ReadonlyMap<AgentConfig, OpenFiller>> {
  const config = get(SERVICES.Config);
  const { env = {} } = get(OWN.Opening);
  const catalogue = get(SERVICES.Catalogue);
  const { store } = await getAsync(OWN.Kept);
  const summarizer = get(SERVICES.Summarizer, { optional: true });
  const fillers = new Map<AgentConfig, OpenFiller>();
  const promptFolder = join(packageFolder(), 'config', 'prompts');
  for (const own of [config, ...Object.values(config.agents)]) {
    if (!asksForText(chooseSummarizer(own.settings, summarizer?.name))) continue;
    // Breakers and prompts are loaded only here: without a summarizer nothing waits for them.
    const { openFillers } = await import('../summarizers/index.js');
    const open = await openFillers({
      settings: own.settings,
      env,
      ...(summarizer && { summarizer }),
      brought: get(OWN.Plugins).loaded.flatMap(({ summarizers = [] }) => summarizers),
      promptFolder,
      limitsOf: (model) => catalogue.lookup(model),
      priceOf: get(SERVICES.PriceOf),
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
