import { identifyCaller, type ApiKey } from '@switchboard/domain/access';
import type { RequestHandler, Response } from 'express';
import { authorizationOf } from '../http/headers.js';
import { requestIdOf, sendErrorResponse } from '../http/problem.js';
import type { McpService } from './server.js';
import { whoami } from './whoami.js';

const KEY = 'key';

/** The key that `guardKey` accepted; null when it could not be looked up. */
export const keyOf = (response: Response): ApiKey | null => response.locals[KEY] as ApiKey | null;

/**
 * Admits only valid keys, before the body is read. Dispatch checks a key that is unknown (or cannot be looked
 * up), so that the failure is the same as on every other path, counted and in the audit log.
 */
export const guardKey =
  ({ ports, dispatch }: Pick<McpService, 'ports' | 'dispatch'>): RequestHandler =>
  async (request, response, next) => {
    const authorization = authorizationOf(request);
    const key = await identifyCaller(ports, { authorization, address: request.ip, surface: 'mcp' }).then(
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
