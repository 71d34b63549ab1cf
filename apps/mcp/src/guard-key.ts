import { identify } from '@switchboard/domain';
import type { RequestHandler } from 'express';
import { authorizationOf } from './headers.js';
import { requestIdOf, sendRefusal } from './problem.js';
import type { Serving } from './server.js';
import { whoami } from './whoami.js';

/**
 * Lets only valid keys speak, before anything of the body is read. Whoever is not known at once (or cannot be looked up) is
 * judged by dispatch, so that the refusal is the one of every other road, counted and in the audit.
 */
export const guardKey =
  ({ ports, dispatch }: Pick<Serving, 'ports' | 'dispatch'>): RequestHandler =>
  async (request, response, next) => {
    const authorization = authorizationOf(request);
    const known = await identify(ports, { authorization, address: request.ip }).then(
      ({ result }) => result.ok,
      () => false,
    );
    if (known) return next();
    const answer = await dispatch(whoami, {
      surface: 'mcp',
      requestId: requestIdOf(response),
      ...{ authorization, address: request.ip },
      readInput: async () => ({ ok: true, value: {} }),
      signal: new AbortController().signal,
    });
    if (answer.status < 400) return next();
    sendRefusal(response, answer);
  };
