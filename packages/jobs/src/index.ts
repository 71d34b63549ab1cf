export { openQueue, type JobHandlers, type JobQueue, type TransactionLike } from './boss-queue.js';
export type { JobName } from './queue-options.js';
export { runPeriodically } from './run-periodically.js';
