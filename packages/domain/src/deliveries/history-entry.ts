import type { Tools } from '../ports/index.js';
import type { Delivery, DeliveryAttempt } from './delivery.js';

/** An entry of a delivery's history: now, by the service itself and without an error unless `entry` says otherwise. */
export const historyEntry = (
  { ids, clock }: Pick<Tools, 'ids' | 'clock'>,
  { id, workspaceId, epoch }: Pick<Delivery, 'id' | 'workspaceId' | 'epoch'>,
  entry: Pick<DeliveryAttempt, 'kind' | 'outcome'> &
    Partial<Pick<DeliveryAttempt, 'error' | 'actor' | 'note' | 'at'>>,
): DeliveryAttempt => ({
  id: ids.next('att'),
  deliveryId: id,
  workspaceId,
  epoch,
  error: null,
  actor: null,
  note: null,
  at: clock.now(),
  ...entry,
});
