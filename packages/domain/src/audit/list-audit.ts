import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { AuditEntry, AuditFilter, ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';

interface ListAudit extends AuditFilter, PageCommand {}

/**
 * The audit rows of the workspace, newest first. A filter may name a deleted resource: its audit rows outlive
 * it.
 */
export const listAudit = (
  ports: Pick<ReadPorts, 'auditTrail' | 'cursors'>,
  call: Call,
  { limit, cursor, ...filter }: ListAudit,
): Promise<Result<Page<AuditEntry>, 'request.invalid_cursor'>> =>
  readPage(ports, call, 'audit', JSON.stringify(filter), { limit, cursor }, (page) =>
    ports.auditTrail.list(call.workspaceId, filter, page),
  );
