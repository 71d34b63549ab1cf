import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import type { ApiKey } from './api-key.js';

type ListKeys = PageCommand;

/** All keys of the workspace, newest first, including expired and revoked ones. */
export const listKeys = (
  ports: Pick<ReadPorts, 'apiKeys' | 'cursors'>,
  call: Call,
  command: ListKeys,
): Promise<Result<Page<ApiKey>, 'request.invalid_cursor'>> =>
  readPage(ports, call, 'keys', {}, command, (page) => ports.apiKeys.list(call.workspaceId, page));
