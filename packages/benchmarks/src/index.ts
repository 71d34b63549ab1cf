export { toBenchmarkResult, type BenchmarkResult, type Threshold } from './benchmark-result.js';
