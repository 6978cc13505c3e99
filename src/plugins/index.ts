export { readAnswer, type ReadAnswer } from './answer.js';
export type { HearPlugin, PluginLevel } from './api.js';
export { PluginHost } from './host.js';
export { LATE, within } from './deadline.js';
export { wordsOf } from './faults.js';
export type { HookInFlight } from './in-flight.js';
export { findPlugin, pluginFolder } from './find.js';
export { loadPlugins } from './load.js';
export { shapedPlugin, type LoadedPlugin } from './shape.js';
