export * from './faults.js';
export * from './respond-with-fault.js';
