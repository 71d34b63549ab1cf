import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import type { Webhook } from './webhook.js';

/** The endpoints of the workspace, newest first. */
export const listWebhooks = (
  ports: Pick<ReadPorts, 'webhooks' | 'cursors'>,
  call: Call,
  command: PageCommand,
): Promise<Result<Page<Webhook>, 'request.invalid_cursor'>> =>
  readPage(ports, call, 'webhooks', null, command, (page) => ports.webhooks.list(call.workspaceId, page));
