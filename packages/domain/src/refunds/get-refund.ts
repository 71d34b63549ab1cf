import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { findReachableRefund } from './find-reachable-refund.js';
import type { Refund } from './refund.js';

interface GetRefundCommand {
  readonly refundId: string;
}

/** One refund that was created through this service. */
export async function getRefund(
  ports: Pick<ReadPorts, 'connections' | 'refunds'>,
  call: Call,
  { refundId }: GetRefundCommand,
): Promise<Result<Refund, 'refund.not_found'>> {
  const found = await findReachableRefund(ports, call, refundId);
  return found.ok ? ok(found.value.refund) : found;
}
