/** The property in which Fastify looks for the name of a plugin. */
const NAME = Symbol.for('fastify.display-name');

/** Names a plugin. For a plugin without a name, Fastify searches all loaded modules for its file. */
export function withName<Plugin extends (...args: never[]) => unknown>(name: string, plugin: Plugin): Plugin {
  return Object.assign(plugin, { [NAME]: name });
}
