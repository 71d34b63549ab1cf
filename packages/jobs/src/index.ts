export { openQueue, type JobHandlers, type JobQueue, type TraceJob } from './boss-queue.js';
export { runPeriodically } from './run-periodically.js';
export { readUnfinishedJobs, writeUnfinishedJobs } from './unfinished-jobs.js';
