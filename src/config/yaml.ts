/** The YAML parser, in its own file, because the bundle gives no names to a CommonJS package imported later. */
export { LineCounter, parseDocument } from 'yaml';
