export * from './builders.js';
export * from './contracts/storage-contract.js';
export {
  createStorageWorld,
  type CreateStorage,
  type StorageHarness,
  type Tenant,
  type StorageWorld,
} from './contracts/storage-world.js';
export * from './counted-ids.js';
export * from './contracts/media-files-contract.js';
export * from './hostile-return-urls.js';
export * from './memory/memory-limits.js';
export * from './memory/memory-media-files.js';
export * from './memory/memory-waiting.js';
export { memoryPorts, type MemoryPorts } from './memory/memory-ports.js';
export * from './movable-clock.js';
export * from './environment/memory-social.js';
export * from './environment/fake-media.js';
export * from './environment/plaintext-vault.js';
export * from './environment/test-environment.js';
export * from './stores/memory-store.js';
export * from './stores/order-builder.js';
export * from './stores/seeded-random.js';
export * from './stores/store-fixture.js';
export * from './stores/virtual-clock.js';
