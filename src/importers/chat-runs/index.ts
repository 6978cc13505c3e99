/** Recorded runs whose messages are OpenAI chat, or nearly, with the run's own notes around them. */
export { liveMcpBench } from './livemcpbench.js';
export { miniSweAgent } from './mini-swe-agent.js';
export { tauBench } from './tau.js';
export { tau2Bench } from './tau2.js';
