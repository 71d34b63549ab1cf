import { ModuleMocker } from 'jest-mock';
import { provideGlobals } from './native-globals.mjs';

/** The state of jest-circus with the tests of a file, under a symbol of the file's own copy of jest-circus. */
const STATE = 'JEST_STATE_SYMBOL';
/** Read by jest-circus when the tests of a file start. */
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/** The event handlers of jest-circus, which adds its own for each file. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** A Jest environment whose global object is that of Node.js itself, not that of a `vm` context. */
export default class NativeEnvironment {
  global = globalThis;
  #mocks = new ModuleMocker(globalThis);
  /** What jest-runner replaces in the global object. */
  #console = globalThis.console;
  #exit = process.exit;

  constructor() {
    delete globalThis[TEST_TIMEOUT];
    delete globalThis[EVENT_HANDLERS];
  }

  /** The globals of jest-circus, for what the test file and its modules import from `@jest/globals`. */
  provide(globals) {
    const jest = {
      fn: (implementation) => this.#mocks.fn(implementation),
      spyOn: (object, key, accessType) => this.#mocks.spyOn(object, key, accessType),
      setTimeout(ms) {
        globalThis[TEST_TIMEOUT] = ms;
        return jest;
      },
    };
    provideGlobals({ ...globals, jest });
  }

  async setup() {}

  async teardown() {
    this.#mocks.restoreAllMocks();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (symbol.description === STATE) delete globalThis[symbol];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
