import { html, type Markup } from '../pages/html.js';

export const docsLayout = (title: string, head: Markup, content: Markup): Markup =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Switchboard</title>
        <link rel="icon" type="image/svg+xml" href="/docs/icon.svg" />
        ${head}
        <link rel="stylesheet" href="/docs/docs.css" />
      </head>
      <body>
        <header class="bar">
          <strong>Switchboard</strong>
          <nav aria-label="Documentation">
            <a href="/docs">API</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">openapi.json</a>
          </nav>
        </header>
        ${content}
      </body>
    </html> `;
