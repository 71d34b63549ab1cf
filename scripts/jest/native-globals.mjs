// What `@jest/globals` exports to tests that Node.js loads. A module that several test files import is
// evaluated once: the exports are variables, and hold the globals of the test file that runs.
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function provideGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
