import { approvalsContract } from './approvals-contract.js';
import { attentionContract } from './attention-contract.js';
import { auditContract } from './audit-contract.js';
import { clientsContract } from './clients-contract.js';
import { credentialsContract } from './credentials-contract.js';
import { deletionContract } from './deletion-contract.js';
import { eventsContract } from './events-contract.js';
import { idempotencyContract } from './idempotency-contract.js';
import { mediaContract } from './media-contract.js';
import { notificationsContract } from './notifications-contract.js';
import { pausesContract } from './pauses-contract.js';
import { platformAppsContract } from './platform-apps-contract.js';
import { postingQueuesContract } from './posting-queues-contract.js';
import { postsContract } from './posts-contract.js';
import { recordsContract } from './records-contract.js';
import { refundsContract } from './refunds-contract.js';
import { postRewriteContract } from './post-rewrite-contract.js';
import { conflictingDeliveriesContract } from './conflicting-deliveries-contract.js';
import type { CreateStorage } from './storage-world.js';
import { tenancyContract } from './tenancy-contract.js';
import { transactionsContract } from './transactions-contract.js';
import { vaultContract } from './vault-contract.js';
import { webhooksContract } from './webhooks-contract.js';

/** The contract of every storage. `make` creates an empty storage each time. */
export function storageContract(make: CreateStorage): void {
  transactionsContract(make);
  tenancyContract(make);
  clientsContract(make);
  recordsContract(make);
  credentialsContract(make);
  platformAppsContract(make);
  postsContract(make);
  postingQueuesContract(make);
  conflictingDeliveriesContract(make);
  attentionContract(make);
  eventsContract(make);
  webhooksContract(make);
  notificationsContract(make);
  mediaContract(make);
  postRewriteContract(make);
  refundsContract(make);
  approvalsContract(make);
  pausesContract(make);
  idempotencyContract(make);
  auditContract(make);
  vaultContract(make);
  deletionContract(make);
}
