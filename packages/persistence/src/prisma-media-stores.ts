import type { MediaStores } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';

const id = 1;

export const prismaMediaStores = (client: DatabaseClient): MediaStores => ({
  async find() {
    return (await client.mediaStore.findUnique({ where: { id } }))?.mark ?? null;
  },
  async insert(mark) {
    await client.mediaStore.createMany({ data: { id, mark }, skipDuplicates: true });
    return (await client.mediaStore.findUniqueOrThrow({ where: { id } })).mark;
  },
});
