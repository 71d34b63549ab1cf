import { storageContract } from '../contracts/storage-contract.js';
import type { StorageHarness } from '../contracts/storage-world.js';
import { memoryPorts } from './memory-ports.js';

storageContract(async (): Promise<StorageHarness> => {
  const memory = memoryPorts();
  return {
    ...memory,
    async recorded(workspaceId) {
      const own = <Row extends { readonly workspaceId: string }>(rows: readonly Row[]) =>
        rows.filter((row) => row.workspaceId === workspaceId);
      return {
        events: own(memory.events()).map(({ type }) => type),
        audit: own(memory.auditRows()).map(({ action }) => action),
        jobs: own(memory.jobs().map(({ job }) => job)).map(({ name }) => name),
      };
    },
  };
});
