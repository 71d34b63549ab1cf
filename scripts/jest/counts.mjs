import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Characters of a failure's message that are kept: enough for the assertion and the lines around it. */
const MESSAGE_LENGTH = 2_000;

/**
 * A jest reporter that writes the package's counts and failures to test-results.json. The file is an output of the
 * turbo task `test`, so that a cached run still reports the correct number of tests, and `.ci/run` repeats the
 * failures at its end, where other packages' output does not bury them.
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
      failures: results.testResults
        .filter(({ failureMessage }) => failureMessage)
        .map(({ failureMessage }) => stripVTControlCharacters(failureMessage).slice(0, MESSAGE_LENGTH)),
    };
    writeFileSync(this.file, `${JSON.stringify(counts)}\n`);
  }
}
