import type { Service } from '@switchboard/bootstrap';
import { catalog } from '@switchboard/operations';
import { Router, type Response } from 'express';
import { redirectToPublicHost } from '../connect/redirect-to-public-host.js';
import type { ApiDocument } from '../docs/api-document.js';
import { docsIcon, docsStyle } from '../docs/assets.js';
import { docsScript } from '../docs/docs-script.js';
import { errorsPage } from '../docs/errors-page.js';
import { describeApi } from '../openapi.js';
import { referencePage } from '../docs/reference-page.js';

const security = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * The description of the API, for programs and for people. Everything is served locally; no external host is
 * needed.
 */
export function docsRoutes({ config }: Service): Router {
  const router = Router();
  const { publicUrl, version } = config;
  const description = once(() => describeApi(catalog, { version, publicUrl }));
  const json = once(() => JSON.stringify(description()));
  // The indentation of the templates would be a quarter of the page.
  const page = once(() =>
    referencePage(description() as unknown as ApiDocument).text.replace(/>\s+</g, '>\n<'),
  );
  const send = (response: Response, type: string, text: string) => void response.type(type).send(text);

  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') return response.redirect('/docs');
    const urlOf = (path: string) => new URL(path, publicUrl).href;
    response.json({
      name: 'Switchboard',
      version,
      docs_url: urlOf('/docs'),
      openapi_url: urlOf('/openapi.json'),
    });
  });
  router.get('/openapi.json', (_request, response) => send(response, 'json', json()));
  router.use('/docs', (_request, response, next) => {
    response.set(security);
    next();
  });
  router.get('/docs', redirectToPublicHost(publicUrl), (_request, response) =>
    send(response, 'html', page()),
  );
  router.get('/docs/errors', (_request, response) => send(response, 'html', errorsPage().text));
  router.get('/docs/docs.css', (_request, response) => send(response, 'css', docsStyle));
  router.get('/docs/docs.js', (_request, response) => send(response, 'text/javascript', docsScript));
  router.get('/docs/icon.svg', (_request, response) => send(response, 'svg', docsIcon));
  return router;
}

function once<Value>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= compute());
}
