export { Settings, CompactionThresholds } from './schema.js';
export { loadConfig, type DeepPartial, type LoadOptions, type Overrides } from './load.js';
export type { ConfigEntry, EffectiveConfig } from './effective.js';
export type { ConfigFault, Origin } from './faults.js';
export { RESERVED_ENV, type Environment } from './env.js';
export { DEFAULT_PROFILE, listProfiles, type Profile } from './profiles.js';
export { renderDefaultYaml } from './default-yaml.js';
export { printConfig } from './print.js';
export { envName, showPath, type Path } from './path.js';
