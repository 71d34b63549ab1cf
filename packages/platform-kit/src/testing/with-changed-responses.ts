import { ok } from '@switchboard/domain';
import type { PlatformResponse, PlatformRequest, Session } from '@switchboard/domain/ports';

/**
 * The same session with changed responses: fields that are absent, null or unknown, which a simulator never
 * returns by itself. `change` receives a copy of each parsed body and returns the body that arrives instead.
 */
export const withChangedResponses = <Body>(
  session: Session,
  fits: (request: PlatformRequest) => boolean,
  change: (json: Body) => unknown,
  status?: number,
): Session => ({
  ...session,
  async request(request) {
    const outcome = await session.request(request);
    if (!outcome.ok || !fits(request)) return outcome;
    const json = change(structuredClone(outcome.value.json) as Body);
    const response: PlatformResponse = {
      ...outcome.value,
      status: status ?? outcome.value.status,
      ok: status === undefined ? outcome.value.ok : status < 300,
      json,
      body: new TextEncoder().encode(JSON.stringify(json)),
    };
    return ok(response);
  },
});
