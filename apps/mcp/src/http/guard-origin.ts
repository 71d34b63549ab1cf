import type { Config } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import type { RequestHandler } from 'express';
import { countHeader } from './headers.js';
import { sendProblem } from './problem.js';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Protects against requests that a web page sends through a visitor's browser: both under a host name that
 * resolves to this server (Host, or an absolute URL in the request line; DNS rebinding) and from an origin
 * that is not allowed (Origin). Programs send no Origin.
 */
export function guardOrigin(config: Pick<Config, 'mcpPublicUrl' | 'mcpAllowedOrigins'>): RequestHandler {
  const own = new URL(config.mcpPublicUrl);
  const hosts = [...loopback, own.hostname];
  const origins = [own.origin, ...config.mcpAllowedOrigins];

  const isAllowedOrigin = (origin: string) =>
    origins.includes(origin) || loopback.includes(hostnameOf(origin) ?? '');

  return (request, response, next) => {
    if (!request.url.startsWith('/') || countHeader(request, 'host') > 1) {
      response.set('Connection', 'close');
      return sendProblem(
        response,
        failure('request.invalid', 'Send the path only in the request line, and exactly one `Host` header.'),
      );
    }
    const { host, origin } = request.headers;
    const hostname = hostnameOf(`http://${host ?? ''}`);
    if (hostname === null || !hosts.includes(hostname)) {
      return sendProblem(
        response,
        failure(
          'request.origin_not_allowed',
          'This host name is not allowed. Set SWITCHBOARD_MCP_PUBLIC_URL to the address that clients use.',
        ),
      );
    }
    if (origin !== undefined && !isAllowedOrigin(origin)) {
      return sendProblem(
        response,
        failure(
          'request.origin_not_allowed',
          'This origin is not allowed. SWITCHBOARD_MCP_ALLOWED_ORIGINS lists the allowed origins.',
        ),
      );
    }
    next();
  };
}

const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
