import type { RequestHandler } from 'express';

/**
 * Cookies belong to a host name, and platforms send the browser back to the public one: a page that was
 * opened under another name (`localhost` for 127.0.0.1) redirects there first. Only once, because a proxy may
 * hide the requested name.
 */
export const redirectToPublicHost =
  (publicUrl: string): RequestHandler =>
  (request, response, next) => {
    const query = new URLSearchParams(request.originalUrl.split('?')[1]);
    if (request.hostname === new URL(publicUrl).hostname || query.has('moved')) return next();
    const platform = /^[a-z][a-z0-9_]{0,40}$/.exec(query.get('platform') ?? '')?.[0];
    const redirectQuery = new URLSearchParams({ ...(platform !== undefined && { platform }), moved: '1' });
    response
      .status(307)
      .location(`${publicUrl}${request.baseUrl}${request.path}?${redirectQuery.toString()}`)
      .end();
  };
