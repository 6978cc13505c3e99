export { STAGE_RULES } from './rules.js';
export type { StageSubject } from './subject.js';
