/**
 * The script of the reference: the search over everything that an operation shows and links to, and the forms that
 * send requests. It sends them to this service only, and keeps the API key in its field only.
 */
export const docsScript = `'use strict';
const search = document.getElementById('search');
const found = document.getElementById('found');
const key = document.getElementById('key');
const operations = [...document.querySelectorAll('.operation')];
const links = new Map([...document.querySelectorAll('aside li')].map((item) => [item.firstElementChild.hash.slice(1), item]));

let texts;
/** The text of an operation, with the schemas that it links to, directly or through other schemas. */
function textsOfOperations() {
  const textOf = (element, seen) =>
    [element.textContent, ...[...element.querySelectorAll('a[href^="#schema-"]')].map(({ hash }) => {
      if (seen.has(hash)) return '';
      seen.add(hash);
      return textOf(document.getElementById(hash.slice(1)), seen);
    })].join(' ');
  return operations.map((operation) => textOf(operation, new Set()).toLowerCase());
}

search.addEventListener('input', () => {
  texts ??= textsOfOperations();
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  operations.forEach((operation, index) => {
    const isFound = words.every((word) => texts[index].includes(word));
    operation.hidden = !isFound;
    links.get(operation.id).hidden = !isFound;
    if (isFound) count += 1;
  });
  found.textContent = words.length === 0 ? '' : count + (count === 1 ? ' operation' : ' operations');
});

function requestOf(form) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const { name, value, dataset } of form.querySelectorAll('input[data-in]')) {
    if (dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (value === '') continue;
    else if (dataset.in === 'header') headers.set(name, value);
    else query.set(name, value);
  }
  const method = form.dataset.method.toUpperCase();
  if (key.value !== '') headers.set('Authorization', 'Bearer ' + key.value);
  if (method === 'POST' && !headers.has('Idempotency-Key'))
    headers.set('Idempotency-Key', [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join(''));
  const file = form.elements.file?.files[0];
  let body = form.elements.body?.value;
  if (file) {
    body = new FormData();
    body.set('file', file);
  } else if (body !== undefined) headers.set('Content-Type', 'application/json');
  return [path + (query.size > 0 ? '?' + query : ''), { method, headers, body }];
}

const shownHeaders = ['ETag', 'Idempotency-Replayed', 'Preference-Applied', 'Retry-After', 'RateLimit', 'X-Request-Id'];
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const [url, init] = requestOf(form);
    const response = await fetch(url, init);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
    const lines = shownHeaders.filter((name) => response.headers.has(name)).map((name) => name + ': ' + response.headers.get(name));
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    pre.textContent = [init.method + ' ' + url, response.status + ' ' + response.statusText, ...lines, '',
      isJson ? JSON.stringify(JSON.parse(text), null, 2) : text].join('\\n');
    output.replaceChildren(pre);
  } catch (error) {
    output.textContent = String(error);
  } finally {
    button.disabled = false;
  }
});
`;
