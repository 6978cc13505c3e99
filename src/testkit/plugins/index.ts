export { PLUGIN_RULES } from './rules.js';
export { loadedFor, type PluginSubject } from './subject.js';
