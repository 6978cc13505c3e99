export { firstLineOf, inTime, LATE } from './guarded.js';
export {
  PluginHost,
  readAnswer,
  type PluginListener,
  type HookInFlight,
  type PluginLevel,
  type ReadAnswer,
} from './host.js';
export { loadPlugins, shapedPlugin, type LoadedPlugin } from './load.js';
export { findPlugin, pluginFolder } from './package.js';
