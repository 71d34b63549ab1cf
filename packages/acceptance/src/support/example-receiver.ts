import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

function receive(body: string, headers: Record<string, string>): string {
  const { type, challenge } = JSON.parse(body) as { type: string; challenge: string };
  if (type === 'webhook.challenge') return challenge;
  const event = new Webhook(process.env['WEBHOOK_SECRET'] ?? '').verify(body, headers);
  process.stdout.write(`${JSON.stringify(event)}\n`);
  return '';
}
createServer((request, response) => {
  const received = text(request).then((body) => receive(body, request.headers as Record<string, string>));
  received.then((answer) => response.end(answer)).catch(() => response.writeHead(401).end());
}).listen(Number(process.env['PORT'] ?? 8080));
