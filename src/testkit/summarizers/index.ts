export { SUMMARIZER_RULES } from './rules.js';
