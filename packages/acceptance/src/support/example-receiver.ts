import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await text(request);
    const { type, challenge } = JSON.parse(body) as { type: string; challenge?: string };
    if (type === 'webhook.challenge') return void response.end(JSON.stringify({ challenge }));
    const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '');
    const event = webhook.verify(body, request.headers as Record<string, string>);
    process.stdout.write(`${JSON.stringify(event)}\n`);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}
const server = createServer((request, response) => void receive(request, response));
server.listen(Number(process.env['PORT'] ?? 8080));
