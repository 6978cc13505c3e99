export type { HearPlugin, PluginLevel } from './api.js';
export { PluginHost, type HostParts } from './host.js';
export { LATE, within } from './deadline.js';
export { wordsOf } from './faults.js';
export type { NamedPlugin } from './find.js';
export { loadPlugins, type PluginsRequest } from './load.js';
export { Manifest } from './manifest.js';
export { shapedPlugin, type LoadedPlugin } from './shape.js';
