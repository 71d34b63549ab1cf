export { program } from './program.js';
export { run } from './run.js';
