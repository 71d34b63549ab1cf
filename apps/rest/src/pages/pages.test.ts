import { expect, test } from '@jest/globals';
import { accentOf } from './accent.js';
import { foreign, plain, webUrl } from './foreign.js';
import { html } from './html.js';
import { pageHeaders } from './page-headers.js';

test('escapes whatever is put into a page, in text and in attributes', () => {
  const evil = `<script>"'\`&`;
  expect(html`<a title="${evil}">${[evil, html`<b>${evil}</b>`]}</a>`.text).toBe(
    '<a title="&#60;script&#62;&#34;&#39;&#96;&#38;">&#60;script&#62;&#34;&#39;&#96;&#38;<b>&#60;script&#62;&#34;&#39;&#96;&#38;</b></a>',
  );
  expect(html`${null}${undefined}${false}${0}`.text).toBe('0');
});

test('sets a foreign name apart: on one line, in its own direction, and of bounded length', () => {
  expect(foreign('Acme\u202e\u0000\n Ltd\u200b').text).toBe('<bdi>Acme Ltd</bdi>');
  expect([...plain('😀'.repeat(500))]).toHaveLength(120);
});

test('links to web pages only', () => {
  expect(webUrl('https://acme.example/privacy')).toBe('https://acme.example/privacy');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'no url', null])
    expect(webUrl(text)).toBeNull();
});

test('takes a workspace’s colour only when it is one, and writes on it so that it can be read', () => {
  expect(accentOf('#FFEE00')).toEqual({ colour: '#ffee00', ink: '#000000' });
  expect(accentOf('#123456').ink).toBe('#ffffff');
  for (const colour of ['red;}body{display:none', '#12345', null])
    expect(accentOf(colour)).toEqual(accentOf('#3b4cca'));
});

test('asks for https only where it is served over https', () => {
  expect(pageHeaders({ https: true })).toHaveProperty('Strict-Transport-Security');
  expect(pageHeaders({ https: false })).not.toHaveProperty('Strict-Transport-Security');
});
