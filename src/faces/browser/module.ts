/** `node:module` without Node: finds no package, because every package in use is bundled. */

const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });

function none(name: string): never {
  throw notFound(name);
}

export const createRequire = (): typeof none => Object.assign(none, { resolve });
const resolve = Object.assign((name: string) => none(name), { paths: (): string[] => [] });

export default { createRequire };
