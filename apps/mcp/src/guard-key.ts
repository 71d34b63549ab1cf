import { identify, type ApiKey } from '@switchboard/domain';
import type { RequestHandler, Response } from 'express';
import { authorizationOf } from './headers.js';
import { requestIdOf, sendErrorResponse } from './problem.js';
import type { McpService } from './server.js';
import { whoami } from './whoami.js';

const KEY = 'key';

/** The key that `guardKey` let pass; null where it could not be looked up. */
export const keyOf = (response: Response): ApiKey | null => response.locals[KEY] as ApiKey | null;

/**
 * Lets only valid keys speak, before anything of the body is read. Whoever is not known at once (or cannot be looked up) is
 * judged by dispatch, so that the refusal is the one of every other road, counted and in the audit.
 */
export const guardKey =
  ({ ports, dispatch }: Pick<McpService, 'ports' | 'dispatch'>): RequestHandler =>
  async (request, response, next) => {
    const authorization = authorizationOf(request);
    const key = await identify(ports, { authorization, address: request.ip }).then(
      ({ result }) => (result.ok ? result.value : null),
      () => null,
    );
    response.locals[KEY] = key;
    if (key) return next();
    const operationResponse = await dispatch(whoami, {
      surface: 'mcp',
      requestId: requestIdOf(response),
      authorization,
      address: request.ip,
      readInput: async () => ({ ok: true, value: {} }),
      signal: new AbortController().signal,
    });
    if (operationResponse.status < 400) return next();
    sendErrorResponse(response, operationResponse);
  };
