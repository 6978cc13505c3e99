/** `node:path` without Node. */
export { basename, dirname, extname, isAbsolute, join, normalize, relative, resolve, sep } from 'pathe';
export { default } from 'pathe';
