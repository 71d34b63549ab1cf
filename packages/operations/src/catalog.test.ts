import { expect, test } from '@jest/globals';
import { catalog } from './catalog.js';

/**
 * The contract of the public interface: route, scope, status, and tool. `admin`: a tool outside the default
 * toolsets; null: served on REST only.
 */
const contract: readonly (readonly [string, string, number, string | null])[] = [
  ['GET /me', 'any', 200, 'whoami'],
  ['GET /workspace', 'workspace:admin', 200, null],
  ['PATCH /workspace', 'workspace:admin', 200, null],
  ['GET /platforms', 'any', 200, 'list_platforms'],
  ['GET /platforms/:id', 'any', 200, 'get_platform'],
  ['PUT /platforms/:id/app', 'workspace:admin', 200, null],
  ['GET /platforms/:id/app', 'workspace:admin', 200, null],
  ['DELETE /platforms/:id/app', 'workspace:admin', 204, null],
  ['GET /profiles', 'profiles:read', 200, 'list_profiles'],
  ['POST /profiles', 'profiles:write', 201, 'admin'],
  ['GET /profiles/:id', 'profiles:read', 200, 'admin'],
  ['PATCH /profiles/:id', 'profiles:write', 200, 'admin'],
  ['DELETE /profiles/:id', 'profiles:write', 204, 'admin'],
  ['POST /connect/url', 'connections:write', 201, 'connect_account'],
  ['GET /connect/sessions/:id', 'connections:read', 200, 'get_connect_session'],
  ['GET /connections', 'connections:read', 200, 'list_connections'],
  ['GET /connections/:id', 'connections:read', 200, 'get_connection'],
  ['GET /connections/:id/publishing', 'posts:read', 200, 'get_publishing_options'],
  ['PATCH /connections/:id', 'connections:write', 200, 'admin'],
  ['DELETE /connections/:id', 'connections:write', 204, 'admin'],
  ['POST /social/posts', 'posts:write', 201, 'create_post'],
  ['POST /social/posts/batch', 'posts:write', 201, 'admin'],
  ['POST /social/posts/validate', 'posts:read', 200, 'validate_post'],
  ['GET /social/posts', 'posts:read', 200, 'list_posts'],
  ['GET /social/posts/:id', 'posts:read', 200, 'get_post'],
  ['GET /social/posts/:id/history', 'posts:read', 200, 'admin'],
  ['PATCH /social/posts/:id', 'posts:write', 200, 'update_post'],
  ['POST /social/posts/:id/cancel', 'posts:write', 200, 'cancel_post'],
  ['DELETE /social/posts/:id', 'posts:write', 200, 'cancel_post'],
  ['POST /social/posts/:id/unpublish', 'posts:write', 200, 'unpublish_post'],
  ['POST /social/posts/:id/retry', 'posts:write', 200, 'retry_post'],
  ['POST /social/posts/:id/deliveries/:delivery_id/recheck', 'posts:write', 200, 'admin'],
  ['POST /social/posts/:id/deliveries/:delivery_id/resolve', 'posts:write', 200, null],
  ['POST /social/media', 'posts:write', 201, null],
  ['POST /social/media/uploads', 'posts:write', 201, 'create_media_upload'],
  ['GET /social/media', 'posts:read', 200, 'admin'],
  ['GET /social/media/:id', 'posts:read', 200, 'admin'],
  ['DELETE /social/media/:id', 'posts:write', 204, 'admin'],
  ['GET /social/analytics', 'analytics:read', 200, 'get_analytics'],
  ['GET /social/analytics/best-times', 'analytics:read', 200, null],
  ['GET /ecommerce/orders', 'orders:read', 200, 'list_orders'],
  ['GET /ecommerce/orders/changes', 'orders:read', 200, null],
  ['GET /ecommerce/orders/:order_id', 'orders:read', 200, 'get_order'],
  ['POST /ecommerce/orders/:order_id/refund/quote', 'orders:read', 201, 'quote_refund'],
  ['POST /ecommerce/orders/:order_id/refund', 'refunds:write', 201, 'refund_order'],
  ['GET /ecommerce/refunds', 'orders:read', 200, 'list_refunds'],
  ['GET /ecommerce/refunds/:refund_id', 'orders:read', 200, 'admin'],
  ['POST /ecommerce/refunds/:refund_id/recheck', 'refunds:write', 200, 'admin'],
  ['POST /ecommerce/refunds/:refund_id/resolve', 'refunds:write', 200, null],
  ['GET /attention', 'any', 200, 'list_attention'],
  ['POST /attention/:id/dismiss', 'any', 200, null],
  ['POST /profiles/:id/pause', 'profiles:write', 200, 'admin'],
  ['POST /profiles/:id/resume', 'profiles:write', 200, 'admin'],
  ['GET /keys', 'keys:admin', 200, null],
  ['POST /keys', 'keys:admin', 201, null],
  ['GET /keys/:id', 'keys:admin', 200, null],
  ['PATCH /keys/:id', 'keys:admin', 200, null],
  ['DELETE /keys/:id', 'keys:admin', 204, null],
  ['POST /keys/:id/rotate', 'keys:admin', 201, null],
  ['GET /audit', 'audit:read', 200, null],
];

const served = new Map<string, readonly unknown[]>(
  catalog.flatMap(({ http, scope, tool, toolset }) =>
    [http, ...(http.aliases ?? [])].map(({ method, path }) => {
      const shownTool = toolset === 'admin' ? 'admin' : tool;
      return [`${method.toUpperCase()} ${path}`, [scope, http.status, shownTool]] as const;
    }),
  ),
);

test.each(contract)('%s requires the scope %s, returns %i and is the tool %s', (route, ...expected) => {
  expect(served.get(route)).toEqual(expected);
});

test('the tools of every set are those with which an agent finds its way', () => {
  const everywhere = catalog.filter(({ toolset }) => toolset === 'every').map(({ tool }) => tool);
  expect(everywhere.sort()).toEqual([
    'get_platform',
    'list_attention',
    'list_platforms',
    'list_profiles',
    'whoami',
  ]);
});
