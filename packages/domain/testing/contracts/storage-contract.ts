import { attentionContract } from './attention-contract.js';
import { auditContract } from './audit-contract.js';
import { credentialsContract } from './credentials-contract.js';
import { deletionContract } from './deletion-contract.js';
import { idempotencyContract } from './idempotency-contract.js';
import { mediaContract } from './media-contract.js';
import { platformAppsContract } from './platform-apps-contract.js';
import { postsContract } from './posts-contract.js';
import { recordsContract } from './records-contract.js';
import { refundsContract } from './refunds-contract.js';
import { rewritingContract } from './rewriting-contract.js';
import { rivalsContract } from './rivals-contract.js';
import type { MakeStorage } from './storage.js';
import { tenancyContract } from './tenancy-contract.js';
import { transactionsContract } from './transactions-contract.js';
import { vaultContract } from './vault-contract.js';

/** What everything that stores must do, whatever it stores in. `make` answers an empty storage each time. */
export function storageContract(make: MakeStorage): void {
  transactionsContract(make);
  tenancyContract(make);
  recordsContract(make);
  credentialsContract(make);
  platformAppsContract(make);
  postsContract(make);
  rivalsContract(make);
  attentionContract(make);
  mediaContract(make);
  rewritingContract(make);
  refundsContract(make);
  idempotencyContract(make);
  auditContract(make);
  vaultContract(make);
  deletionContract(make);
}
