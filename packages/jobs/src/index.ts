export { openQueue, type Handlers, type Queue, type TransactionLike } from './boss-queue.js';
export type { JobName } from './queue-facts.js';
export { repeat } from './sweeper.js';
