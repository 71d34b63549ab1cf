import type { MediaStores } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';

const id = 1;

export const prismaMediaStores = (client: DatabaseClient): MediaStores => ({
  async find() {
    const [row] = await client.$queryRaw<{ mark: string }[]>`SELECT mark FROM media_stores WHERE id = ${id}`;
    return row?.mark ?? null;
  },
  async insert(mark) {
    await client.mediaStore.createMany({ data: { id, mark }, skipDuplicates: true });
    return (await client.mediaStore.findUniqueOrThrow({ where: { id } })).mark;
  },
});
