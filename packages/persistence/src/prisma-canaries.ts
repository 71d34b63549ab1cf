import type { Canaries } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient } from './columns.js';

const id = 1;

export const prismaCanaries = (client: DatabaseClient): Canaries => ({
  async find() {
    const [row] = await client.$queryRaw<
      { sealed: Uint8Array }[]
    >`SELECT sealed FROM canaries WHERE id = ${id}`;
    return row?.sealed ?? null;
  },
  async insert(sealed) {
    await client.canary.createMany({ data: { id, sealed: writeBytes(sealed) }, skipDuplicates: true });
    return (await client.canary.findUniqueOrThrow({ where: { id } })).sealed;
  },
});
