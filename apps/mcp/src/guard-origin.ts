import type { Config } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import type { RequestHandler } from 'express';
import { countHeader } from './headers.js';
import { sendProblem } from './problem.js';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A page that someone has open in a browser must not reach this server behind their back: neither under a name that it made
 * point here (Host, or a whole URL in the request line) nor from a site that nobody allowed (Origin). Programs send no Origin.
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
        failure('request.invalid', 'Name the path alone in the request line, and one host, in `Host`.'),
      );
    }
    const { host, origin } = request.headers;
    const hostname = hostnameOf(`http://${host ?? ''}`);
    if (hostname === null || !hosts.includes(hostname)) {
      return sendProblem(
        response,
        failure('request.origin_not_allowed', 'This host name is not served here.'),
      );
    }
    if (origin !== undefined && !isAllowedOrigin(origin)) {
      return sendProblem(response, failure('request.origin_not_allowed', 'This origin is not allowed here.'));
    }
    next();
  };
}

const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
