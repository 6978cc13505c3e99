export { AgentPath, AGENT_PATH_WORDS, isAgentPath } from './fields.js';
export { COUNTERS, knobSchemas, Settings, SUMMARIZERS, type KnobSchemas } from './schema.js';
export { loadConfig, type LoadOptions, type NamedPlugins, type PluginShapes } from './load.js';
export {
  configOf,
  type AgentConfig,
  type ConfigEntry,
  type DeepPartial,
  type EffectiveConfig,
  type Overrides,
} from './effective.js';
export { rankOf, type ConfigFault, type Origin } from './faults.js';
export type { Environment } from './env.js';
export { DEFAULT_PROFILE, listProfiles, type Profile } from './files.js';
export { renderDefaultYaml } from './default-yaml.js';
export { printConfig } from './print.js';
export { envName, readPath, showPath, valueAt, type Path } from './path.js';
export { asksForText, chooseSummarizer } from './summarizer.js';
export { CompactionThresholds, StrategyNames, thresholdOf, type Strategy } from './pipeline-fields.js';
export { strategyPlan, type StrategyPlan } from './strategies.js';
export type { JsonSchema } from './json-schema.js';
export { readInstructions, type Instructions } from './instruction-files.js';
