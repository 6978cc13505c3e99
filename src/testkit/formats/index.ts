export { FORMAT_RULES } from './rules.js';
export type { FormatSubject } from './subject.js';
