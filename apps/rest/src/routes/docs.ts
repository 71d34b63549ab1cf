import type { Service } from '@switchboard/bootstrap';
import { catalog } from '@switchboard/operations';
import { Router, type Response } from 'express';
import path from 'node:path';
import swaggerUi from 'swagger-ui-dist';
import { redirectToPublicHost } from '../connect/redirect-to-public-host.js';
import { docsScript, docsStyle } from '../docs/assets.js';
import { docsPage } from '../docs/docs-page.js';
import { errorsPage } from '../docs/errors-page.js';
import { describeApi } from '../openapi.js';

const VENDOR_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

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
  const description = JSON.stringify(describeApi(catalog, { publicUrl: config.publicUrl }));
  const send = (response: Response, type: string, text: string) => void response.type(type).send(text);

  router.get('/openapi.json', (_request, response) => send(response, 'json', description));
  router.use('/docs', (_request, response, next) => {
    response.set(security);
    next();
  });
  router.get('/docs', redirectToPublicHost(config.publicUrl), (_request, response) =>
    send(response, 'html', docsPage().text),
  );
  router.get('/docs/errors', (_request, response) => send(response, 'html', errorsPage().text));
  router.get('/docs/docs.css', (_request, response) => send(response, 'css', docsStyle));
  router.get('/docs/docs.js', (_request, response) => send(response, 'text/javascript', docsScript));
  const folder = swaggerUi.getAbsoluteFSPath();
  for (const file of VENDOR_FILES) {
    router.get(`/docs/${file}`, (_request, response) => {
      response.sendFile(path.join(folder, file), { maxAge: '1h', dotfiles: 'allow' });
    });
  }
  return router;
}
