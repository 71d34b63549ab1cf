/** Exports for other programs that drive complete installations from outside. */
export { connectAccount } from './support/sandbox-store.js';
export { freePort } from '@switchboard/persistence/testing';
export { asObjects, asText, type JsonObject } from './support/json.js';
export { largePng } from './support/large-png.js';
export { openOperator, type Operator } from './support/operator.js';
export { startProgram, type Program } from './support/program.js';
export { programs } from './support/programs.js';
export { restClient, type RestClient } from './support/rest-client.js';
export { sandboxControl } from './support/sandbox-control.js';
export { startSwitchboard, type SwitchboardProcesses } from './support/start-switchboard.js';
