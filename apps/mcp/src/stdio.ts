import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { begin, giveUp } from './begin.js';
import { openRequests } from './open-requests.js';
import { createMcpServer } from './server.js';
import { verifyKey } from './verify-key.js';
import { whenStopped } from './when-stopped.js';

const GRACE_MS = 5000;

const { service, narrowing } = await begin('mcp-stdio', 'stderr');
const key = await verifyKey(service);
if (!key.ok) {
  await service.close();
  giveUp(key.why);
}

const transport = new StdioServerTransport();
const requests = openRequests(transport);
const server = createMcpServer(service, { authorization: key.authorization, narrowing });

const stop = whenStopped(service, async () => {
  await server.close();
  await service.close();
  process.exit(0);
});
process.stdout.once('error', stop);
process.stdin.once('end', () => void Promise.race([requests.answered(), sleep(GRACE_MS)]).then(stop));
await server.connect(transport);
