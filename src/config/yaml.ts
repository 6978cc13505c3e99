/** The YAML parser, a file of its own: the bundle gives a CommonJS package that is imported later no names. */
export { LineCounter, parseDocument } from 'yaml';
