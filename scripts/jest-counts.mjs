import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A jest reporter that leaves the package's counts in test-results.json. The file is an output of the turbo
 * task `test`, so that a cached run still says truthfully how many tests it stands for.
 */
export default class JestCounts {
  constructor(globalConfig) {
    this.file = path.join(globalConfig.rootDir, 'test-results.json');
  }

  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that cannot even be loaded holds no test that could fail, and is a failure nevertheless.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(this.file, `${JSON.stringify(counts)}\n`);
  }
}
