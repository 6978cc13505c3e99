export { recalledText, type Recalled } from './answer.js';
export { Recall } from './recall.js';
export type { RecallRequest } from './request.js';
export { recallTool } from './tool.js';
