import { html, type Markup } from '../pages/html.js';
import { docsLayout } from './docs-layout.js';

export const docsPage = (): Markup =>
  docsLayout(
    'API',
    html`<link rel="stylesheet" href="/docs/swagger-ui.css" />
      <script src="/docs/swagger-ui-bundle.js"></script>
      <script src="/docs/docs.js"></script> `,
    html`<main id="api">
      <noscript
        >This page needs JavaScript. The OpenAPI document is at
        <a href="/openapi.json">openapi.json</a>.</noscript
      >
    </main>`,
  );
