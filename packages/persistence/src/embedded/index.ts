export { leaseServer, type ServerLease } from './client.js';
export { getServerStatus, stopServer, type ServerStatus } from './control.js';
export { prepareDataDirectory } from './data-directory.js';
