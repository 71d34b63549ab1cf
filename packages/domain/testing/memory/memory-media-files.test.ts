import { mediaFilesContract } from '../contracts/media-files-contract.js';
import { memoryMediaFiles } from './memory-media-files.js';

mediaFilesContract(async () =>
  memoryMediaFiles({
    now: () => new Date(),
    after: (ms) => new Date(Date.now() + ms),
    sleep: async () => undefined,
  }),
);
