import { quotePlatform, refuse } from '@switchboard/platform-kit';
import { createPlatformClient } from '@switchboard/platform-kit/platform-client';
import { errorMapping } from './wire.js';

const OUTDATED_SECONDS = 3_600;

export const { exists, remove, requestJson, requestResponse } = createPlatformClient(errorMapping, {
  // The older API, below `/v2`, has no versions.
  prepareRequest: (request, { apiVersion }) => ({
    ...request,
    headers: {
      ...request.headers,
      'x-restli-protocol-version': '2.0.0',
      ...(request.path.startsWith('/rest/') && { 'linkedin-version': apiVersion ?? '' }),
    },
  }),

  // A retired API version is not an error of the request, and the operator has to resolve it: the request is
  // retried until then.
  explainError({ message, code }, { status }, { apiVersion }) {
    if (status !== 426) return undefined;
    return refuse(
      'platform.unavailable',
      `LinkedIn no longer supports version ${apiVersion} of its API. The operator must configure a newer version.`,
      { platform: quotePlatform(errorMapping.name, message, code), retryAfterSeconds: OUTDATED_SECONDS },
    );
  },
});

/** A URN in a path or in a list: Rest.li parses bare colons, commas and parentheses itself. */
export const encodeUrn = (urn: string): string =>
  encodeURIComponent(urn).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'));
