export { leaseServer, type Lease, type LeaseOptions } from './client.js';
export { serverStatus, stopServer, type ServerStatus } from './control.js';
export { prepareDataDirectory } from './data-directory.js';
