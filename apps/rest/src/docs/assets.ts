/**
 * The options of Swagger UI. It sends no request to another host: no validator, and the description of this
 * service.
 */
export const docsScript = `'use strict';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
window.addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    syntaxHighlight: { activated: true },
  });
});
`;

export const docsStyle = `
:root{color-scheme:light dark;--ground:#fff;--text:#171a2b;--soft:#565d76;--line:#d9dce8;--note:#f3f4f8}
@media (prefers-color-scheme:dark){:root{--ground:#0e1018;--text:#eceef7;--soft:#a5abc2;--line:#2c3145;--note:#181b27}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.bar{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;align-items:baseline;padding:.9rem clamp(1rem,4vw,2.5rem);border-bottom:1px solid var(--line)}
.bar nav{display:flex;gap:1.2rem}
.bar strong{font-size:1.1rem;margin-inline-end:auto}
a{color:inherit;text-underline-offset:.18em}
:focus-visible{outline:3px solid #3b6ee8;outline-offset:2px}
.errors{max-width:60rem;margin:0 auto;padding:1.5rem clamp(1rem,4vw,2.5rem) 4rem}
.errors h1{margin:.5rem 0}.errors h2{margin:2.2rem 0 .6rem;font-size:1.15rem}
.errors p{color:var(--soft);max-width:44rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:start;vertical-align:top;padding:.55rem .8rem .55rem 0;border-bottom:1px solid var(--line)}
th{font-size:.84rem;color:var(--soft);font-weight:600}
td:first-child{white-space:nowrap}
tr:target{background:var(--note)}
code{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
`;
