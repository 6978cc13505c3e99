export { STAGE_RULES, type StageRule } from './rules.js';
export type { StageSubject } from './subject.js';
