import type { Audit, Ids } from '@switchboard/domain';
import { writeJson, type Client } from './columns.js';

export const prismaAudit = (client: Client, ids: Ids): Audit => ({
  async append({ details, ...rest }) {
    await client.auditRow.create({ data: { ...rest, id: ids.next('aud'), details: writeJson(details) } });
  },
});
