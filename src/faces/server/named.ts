/** Where Fastify looks for the name of a plugin. */
const NAME = Symbol.for('fastify.display-name');

/** Names a plugin. Fastify searches all modules that are loaded for the file of one that has no name. */
export function named<Plugin extends (...args: never[]) => unknown>(name: string, plugin: Plugin): Plugin {
  return Object.assign(plugin, { [NAME]: name });
}
