import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A jest reporter that writes the package's counts to test-results.json. The file is an output of the turbo
 * task `test`, so that a cached run still reports the correct number of tests.
 */
export default class JestCounts {
  constructor(globalConfig) {
    this.file = path.join(globalConfig.rootDir, 'test-results.json');
  }

  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      // A file that fails to load contains no failing test, and still counts as a failure.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(this.file, `${JSON.stringify(counts)}\n`);
  }
}
