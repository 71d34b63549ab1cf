import { WORKER } from '../call.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { Connection } from '../connections/connection.js';
import { learnPermissions } from '../connections/learn-permissions.js';
import { needsReauth } from '../connections/needs-reauth.js';
import { refuse, type Failure } from '../failure.js';
import { createLeaseHandle, LEASE_SECONDS, withLease, type LeaseHandle } from '../lease.js';
import type {
  ClaimedDelivery,
  Platform,
  Ports,
  PublishedPart,
  PublishItem,
  Session,
} from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { retryableCodes } from './deliver.js';
import type { Delivery, DeliveryEdit, DeliveryPart, PartEdit } from './delivery.js';
import {
  beginPartEdit,
  finishPartEdit,
  releasePartEdit,
  settleEdit,
  type EditOutcome,
} from './record-edit.js';
import { publishItemOf, toPublishedPart } from './publish-item.js';
import { disconnectedFailure } from './settle-delivery.js';
import { withTimeout } from './with-timeout.js';

export type EditPorts = Pick<
  Ports,
  'connections' | 'deliveries' | 'platforms' | 'sessions' | 'transactions' | 'ids' | 'clock'
>;

/** The duration of one attempt at all parts. */
const WORK_MS = 60_000;
/**
 * An edit that could not be made within this time ends: it might overwrite what a person has changed at the platform
 * since.
 */
const EDIT_WINDOW_MS = 60 * 60_000;

export interface ClaimedEdit extends ClaimedDelivery {
  /** A time before the claim. */
  readonly claimedAt: Date;
}

/** Claims due edits; each is committed as an attempt before any byte is sent. */
export async function claimEdits(
  ports: Pick<EditPorts, 'transactions' | 'clock'>,
  limit: number,
): Promise<readonly ClaimedEdit[]> {
  const claimedAt = ports.clock.now();
  if (limit <= 0) return [];
  const claimed = await ports.transactions.run<readonly ClaimedDelivery[], never>(async (tx) =>
    ok(await tx.deliveries.claimEdits(limit, LEASE_SECONDS)),
  );
  return claimed.ok ? claimed.value.map((one) => ({ ...one, claimedAt })) : [];
}

/**
 * Makes one attempt at a claimed edit, part by part. An edit replaces the whole content of a part, so that one whose
 * outcome is unknown is looked up where the platform can be queried, and is otherwise repeated: neither creates a
 * second post, and both end in the same state.
 */
export async function applyEdit(ports: EditPorts, claimed: ClaimedEdit, stop: AbortSignal): Promise<void> {
  const { delivery, claimedAt } = claimed;
  const { id, epoch } = delivery;
  const hold = createLeaseHandle(ports, claimedAt, (tx, seconds) =>
    tx.deliveries.extendLease(id, epoch, seconds),
  );
  const outcome = await withLease(hold, stop, WORK_MS, (signal) =>
    attemptEdit(ports, claimed, signal, hold.isHeld),
  );
  await settleEdit(ports, delivery, outcome);
}

async function attemptEdit(
  ports: EditPorts,
  { delivery, profileId }: ClaimedEdit,
  signal: AbortSignal,
  isLeaseHeld: LeaseHandle['isHeld'],
): Promise<EditOutcome> {
  const { edit } = delivery;
  if (!edit) return { kind: 'superseded' };
  if (ports.clock.now().getTime() - Date.parse(edit.requestedAt) > EDIT_WINDOW_MS) return overdue(delivery);
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  const platform = ports.platforms.find(delivery.platform);
  if (connection?.profileId !== profileId) return { kind: 'ended', failure: disconnectedFailure };
  if (!platform) return { kind: 'waits', failure: notInstalled };
  const outcome = await editThrough(ports, delivery, edit, connection, platform, signal, isLeaseHeld);
  const code = outcome.kind === 'edited' ? 'ok' : outcome.kind === 'ended' ? outcome.failure.code : null;
  if (code === 'ok' || code === 'platform.permission_missing') {
    await learnPermissions(ports, platform.manifest, connection, 'publishing', code);
  }
  return outcome;
}

const notInstalled = refuse(
  'platform.not_configured',
  'The adapter of this platform is not installed at the moment. Nothing was sent.',
).failure;

/** What was never sent is certainly not edited. Of what was sent, the last attempt did not prove the outcome. */
const overdue = ({ edit, error }: Delivery): EditOutcome => ({
  kind: 'ended',
  failure: edit?.parts.some(({ sentAt }) => sentAt !== undefined)
    ? uncertain
    : refuse(
        'platform.unavailable',
        `The edit was not made within an hour, and is given up.${error ? ` ${error.message}` : ''} Send it again.`,
      ).failure,
});

const uncertain = refuse(
  'platform.outcome_unknown',
  'The edit may have been made, and the platform does not confirm it. Check the account, and send the edit again: that never creates another post.',
).failure;

async function editThrough(
  ports: EditPorts,
  delivery: Delivery,
  edit: DeliveryEdit,
  connection: Connection,
  platform: Platform,
  signal: AbortSignal,
  isLeaseHeld: LeaseHandle['isHeld'],
): Promise<EditOutcome> {
  if (connection.status === 'needs_reauth') {
    const { failure } = needsReauth(connection, 'The account must be reconnected. The edit is then made.');
    return { kind: 'waits', failure };
  }
  const use = { purpose: 'publish', actor: WORKER } as const;
  const session = await ports.sessions.open(connection, use, signal, isLeaseHeld);
  if (!session.ok) return { kind: 'waits', failure: session.failure };
  for (const change of edit.parts) {
    const outcome = await editPart(ports, delivery, change, platform, session.value);
    if (outcome.kind !== 'edited') return outcome;
    const isCurrent = await finishPartEdit(ports, delivery, change.index);
    if (!isCurrent) return { kind: 'superseded' };
  }
  return { kind: 'edited' };
}

async function editPart(
  ports: EditPorts,
  delivery: Delivery,
  change: PartEdit,
  { manifest, publishing }: Platform,
  session: Session,
): Promise<EditOutcome> {
  const target = publishing && targetOf(delivery, change);
  if (!target || !publishing.edit) {
    return {
      kind: 'ended',
      failure: refuse('platform.refused', `${manifest.name} cannot edit this post.`).failure,
    };
  }
  const { part, item } = target;
  const call = <Value>(request: () => Promise<Result<Value>>) =>
    withTimeout(ports.clock, session.signal, catchAdapterErrors(request));
  const edit = publishing.edit.bind(publishing);
  const isEdited = publishing.isEdited?.bind(publishing);
  const look = isEdited && (() => call(() => isEdited(session, part, item)));
  const wasSent = change.sentAt !== undefined;
  if (wasSent && look) {
    const seen = await look();
    if (!seen.ok) return { kind: 'waits', failure: seen.failure };
    if (seen.value) return { kind: 'edited' };
  }
  if (!(await beginPartEdit(ports, delivery, change.index))) return { kind: 'superseded' };
  const sent = await call(() => edit(session, part, item));
  if (sent.ok) return { kind: 'edited' };
  const { failure } = sent;
  if (isDoubtful(failure))
    return { kind: 'waits', failure: { ...failure, message: doubtful(manifest.name) } };
  const isFinal = !waitingCodes.includes(failure.code);
  // A refusal of this attempt proves nothing about an earlier one that cannot be looked up.
  if (isFinal && wasSent && !look) return { kind: 'ended', failure: uncertain };
  if (!wasSent || isFinal) await releasePartEdit(ports, delivery, change.index);
  return { kind: isFinal ? 'ended' : 'waits', failure };
}

const doubtful = (name: string) =>
  `${name} did not confirm the edit. It is checked, and repeated if needed: an edit never creates another post.`;

const isDoubtful = ({ code }: Failure): boolean =>
  code === 'platform.outcome_unknown' || code === 'platform.invalid_response';

const waitingCodes: readonly Failure['code'][] = [...retryableCodes, 'connection.needs_reauth'];

/** The published part, and the content that it is to have. */
function targetOf(
  delivery: Delivery,
  { index, title, text, link }: PartEdit,
): { readonly part: PublishedPart; readonly item: PublishItem } | null {
  const published = delivery.parts.find((part): part is DeliveryPart => part.index === index);
  if (published?.status !== 'published' || published.externalId === null) return null;
  const item = publishItemOf(delivery, { ...published, title, text, link });
  return { part: toPublishedPart(published), item };
}
