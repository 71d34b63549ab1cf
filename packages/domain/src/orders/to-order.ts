import type { Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Order } from './list-orders.js';
import { formatOrderId } from './order-id.js';
import type { RemoteOrder } from './order.js';
import { redactForCaller } from './personal-data.js';

/** A store's order as a caller may see it. */
export const toOrder = (call: Call, connection: Connection, order: RemoteOrder): Order => ({
  id: formatOrderId({ connectionId: connection.id, externalId: order.externalId }),
  connectionId: connection.id,
  platform: connection.platform,
  order: redactForCaller(call, order),
});
