import type { Events, Ids } from '@switchboard/domain';
import { writeJson, type Client } from './columns.js';

export const prismaEvents = (client: Client, ids: Ids): Events => ({
  async append({ data, ...rest }) {
    await client.event.create({ data: { ...rest, id: ids.next('evt'), data: writeJson(data) } });
  },
});
