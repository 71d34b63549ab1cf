import type { Canaries } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient } from './columns.js';

const id = 1;

export const prismaCanaries = (client: DatabaseClient): Canaries => ({
  async find() {
    return (await client.canary.findUnique({ where: { id } }))?.sealed ?? null;
  },
  async insert(sealed) {
    await client.canary.createMany({ data: { id, sealed: writeBytes(sealed) }, skipDuplicates: true });
    return (await client.canary.findUniqueOrThrow({ where: { id } })).sealed;
  },
});
