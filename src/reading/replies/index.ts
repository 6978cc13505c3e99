export type { Verdict } from './forms.js';
export { ReplyReader, wordsOf, type Reply } from './replies.js';
