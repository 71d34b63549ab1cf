import { expect, test } from '@jest/globals';
import { accentOf, contrast } from './accent.js';
import { isolateName, sanitizeName, toWebUrl } from './isolate-name.js';
import { html } from './html.js';
import { pageHeaders } from './page-headers.js';

test('escapes every value in a page, in text and in attributes', () => {
  const evil = `<script>"'\`&`;
  expect(html`<a title="${evil}">${[evil, html`<b>${evil}</b>`]}</a>`.text).toBe(
    '<a title="&#60;script&#62;&#34;&#39;&#96;&#38;">&#60;script&#62;&#34;&#39;&#96;&#38;<b>&#60;script&#62;&#34;&#39;&#96;&#38;</b></a>',
  );
  expect(html`${null}${undefined}${false}${0}`.text).toBe('0');
});

test('isolates a third-party name: on one line, in its own direction, and of limited length', () => {
  expect(isolateName('Acme\u202e\u0000\n Ltd\u200b').text).toBe('<bdi>Acme Ltd</bdi>');
  expect([...sanitizeName('😀'.repeat(500))]).toHaveLength(120);
});

test('links to web pages only', () => {
  expect(toWebUrl('https://acme.example/privacy')).toBe('https://acme.example/privacy');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'no url', null])
    expect(toWebUrl(text)).toBeNull();
});

test('accepts a workspace’s color only when it is valid', () => {
  expect(accentOf('#FFEE00').dark).toEqual({ color: '#ffee00', textColor: '#000000' });
  expect(accentOf('#123456').light).toEqual({ color: '#123456', textColor: '#ffffff' });
  for (const color of ['red;}body{display:none', '#12345', null])
    expect(accentOf(color)).toEqual(accentOf('#3b4cca'));
});

test('renders readable text on every color, and gives every color enough contrast in light and dark', () => {
  const steps = ['00', '33', '66', '99', 'cc', 'ff'];
  for (const red of steps)
    for (const green of steps)
      for (const blue of steps) {
        const { light, dark } = accentOf(`#${red}${green}${blue}`);
        for (const [accent, ground] of [
          [light, '#ffffff'],
          [dark, '#181b27'],
        ] as const) {
          expect(contrast(accent.textColor, accent.color)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(accent.color, ground)).toBeGreaterThanOrEqual(3);
        }
      }
});

test('allows one external image: the logo, from its own origin', () => {
  const policy = (logo: string | null) => pageHeaders({ https: true, logo })['Content-Security-Policy'];
  expect(policy(null)).toContain('img-src data:;');
  expect(policy('https://cdn.acme.example/logo.png')).toContain('img-src data: https://cdn.acme.example;');
});

test('requires https only when it is served over https', () => {
  expect(pageHeaders({ https: true })).toHaveProperty('Strict-Transport-Security');
  expect(pageHeaders({ https: false })).not.toHaveProperty('Strict-Transport-Security');
});
