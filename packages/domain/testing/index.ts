export * from './builders.js';
export * from './contracts/storage-contract.js';
export { makeWorld, type MakeStorage, type Storage, type Tenant, type World } from './contracts/storage.js';
export * from './counted-ids.js';
export * from './movable-clock.js';
