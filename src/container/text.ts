import { join } from 'node:path';
import { ContainerModule, type ResolutionContext } from 'inversify';
import { asksForText, chooseSummarizer, type AgentConfig, type EffectiveConfig } from '../config/index.js';
import { packageFolder } from '../package-folder.js';
import type { OpenFiller } from '../summarizers/index.js';
import { OWN, SERVICES, type FillerFor } from './services.js';

/** Binds the summarizers. */
export const textWing = new ContainerModule(({ bind }) => {
  bind(OWN.FillerFor).toDynamicValue(fillerFor);
  bind(OWN.Fillers).toResolvedValue(fillersOf, [OWN.FillerFor, SERVICES.Config]);
});

const promptFolder = (): string => join(packageFolder(), 'config', 'prompts');

/** Returns the function that opens the summarizers of a configuration; it rejects if the configuration is wrong. */
async function fillerFor({ get, getAsync }: ResolutionContext): Promise<FillerFor> {
  const { env = {} } = get(OWN.Opening);
  const catalogue = get(SERVICES.Catalogue);
  const { store } = await getAsync(OWN.Kept);
  const summarizer = get(SERVICES.Summarizer, { optional: true });
  const { loaded } = get(OWN.Plugins);
  const priceOf = get(SERVICES.PriceOf);
  return async ({ settings }) => {
    if (!asksForText(chooseSummarizer(settings, summarizer?.name))) return undefined;
    // Breakers and prompts are only loaded here, so that engines without a summarizer do not wait for them.
    const { openFillers } = await import('../summarizers/index.js');
    return openFillers({
      settings,
      env,
      ...(summarizer && { summarizer }),
      provided: loaded.flatMap(({ summarizers = [] }) => summarizers),
      promptFolder: promptFolder(),
      limitsOf: (model) => catalogue.lookup(model),
      priceOf,
      ...(store && { store }),
    });
  };
}

/** Opens the summarizers of the engine and of each agent; rejects if one of the configurations is wrong. */
async function fillersOf(
  open: FillerFor,
  config: EffectiveConfig,
): Promise<ReadonlyMap<AgentConfig, OpenFiller>> {
  const fillers = new Map<AgentConfig, OpenFiller>();
  for (const own of [config, ...Object.values(config.agents)]) {
    const filler = await open(own);
    if (filler) fillers.set(own, filler);
  }
  const { prompts, promptFiles } = config.settings.fill;
  // Checks an operator's prompts when the engine is opened, even if no summarizer uses them.
  if (prompts !== null && fillers.size === 0) {
    const { promptsFor } = await import('../summarizers/index.js');
    await promptsFor({ packaged: promptFolder(), custom: prompts, files: promptFiles });
  }
  return fillers;
}
