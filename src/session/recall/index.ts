export { headLine, recalledText, recallTool, type Recalled } from './answer.js';
export { AutomaticRecall } from './automatic.js';
export { Recall, type RecallRequest } from './recall.js';
export { Search } from './search.js';
