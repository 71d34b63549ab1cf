import { describe, expect, test } from '@jest/globals';
import { parsePageMetadata } from './parse-page-metadata.js';

const head = (inner: string) =>
  parsePageMetadata(`<!doctype html><html><head>${inner}</head><body>…</body></html>`);

describe('the metadata of a page', () => {
  test('prefers Open Graph to Twitter to plain HTML', () => {
    const plain = '<title>Plain</title><meta name="description" content="Plain words"><base href="/base/">';
    const twitter =
      '<meta name="twitter:title" content="Twitter"><meta name=twitter:description content="Twitter’s words"><meta name="twitter:image" content="/t.png">';
    const openGraph =
      '<meta property="og:title" content="Open"><meta property="og:description" content="Open words"><meta property="og:image" content="/o.png">';
    expect(head(plain)).toEqual({ title: 'Plain', description: 'Plain words', image: null, base: '/base/' });
    expect(head(plain + twitter)).toMatchObject({
      title: 'Twitter',
      description: 'Twitter’s words',
      image: '/t.png',
    });
    expect(head(plain + twitter + openGraph)).toMatchObject({
      title: 'Open',
      description: 'Open words',
      image: '/o.png',
    });
  });

  test('is read in every HTML notation', () => {
    const odd = `<META CONTENT='Caf&eacute; &amp; &#x1F98B;' PROPERTY=OG:Title><meta property="og:description"
      content="two
      lines"><meta name="og:image" content=" https://example.com/a.png?x=1&amp;y=2 "/>`;
    expect(head(odd)).toMatchObject({
      title: 'Café & 🦋',
      description: 'two\n      lines',
      image: 'https://example.com/a.png?x=1&y=2',
    });
  });

  test('is the first of several, and never an empty one', () => {
    expect(
      head(
        '<meta property="og:image" content=""><meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png">',
      ).image,
    ).toBe('/1.png');
    expect(head('<title>One</title><svg><title>Two</title></svg>').title).toBe('One');
  });

  test('ignores scripts and comments', () => {
    expect(
      head(
        `<script>const a = '<meta property="og:title" content="No">'</script><!-- <title>No</title> --><title>Yes</title>`,
      ).title,
    ).toBe('Yes');
  });

  test('is read from a truncated page', () => {
    expect(
      parsePageMetadata('<head><title>Cut</title><meta property="og:image" content="/never-end'),
    ).toEqual({
      title: 'Cut',
      description: null,
      image: null,
      base: null,
    });
  });
});

test('a page of unclosed tags is abandoned early', () => {
  const deep = `<title>Deep</title>${'<b>'.repeat(300_000)}`;
  // Metadata after the nesting limit would show that the parser has continued.
  expect(parsePageMetadata(`${deep}<meta property="og:title" content="Late">`).title).toBe('Deep');
});
