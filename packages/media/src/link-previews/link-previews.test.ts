import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { Downloads } from '@switchboard/domain/ports';
import { undiciDownloads } from '@switchboard/egress';
import sharp from 'sharp';
import { mediaTools } from '../media-tools.js';
import { bombPng, animatedImage, noiseImage, solidImage } from '../testing/images.js';
import { linkPreviews } from './link-previews.js';

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown;

const workspaceId = 'wsp_a' as WorkspaceId;
const tools = mediaTools();
afterAll(() => tools.close());
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: Serve): Promise<{ readonly host: string; readonly url: string }> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(
    () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  );
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}` };
}

/** The site's responses, by path. */
let pages: Map<string, Serve>;
let site: Awaited<ReturnType<typeof serve>>;
let asked: string[];
beforeEach(async () => {
  pages = new Map();
  asked = [];
  site = await serve((request, response) => {
    asked.push(request.url ?? '');
    const page = pages.get(request.url ?? '');
    if (page) return page(request, response);
    response.writeHead(404).end();
  });
});

const html =
  (head: string, type = 'text/html; charset=utf-8'): Serve =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': type }).end(`<html><head>${head}</head></html>`);
const file =
  (bytes: Buffer, type = 'image/png'): Serve =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': type }).end(bytes);
const to =
  (location: string): Serve =>
  (_request, response) =>
    response.writeHead(302, { location }).end();

/** Uses the guarded client, which allows the site and no other private host. */
function find(url: string, over: { timeoutSeconds?: number; signal?: AbortSignal } = {}) {
  const { signal = new AbortController().signal, timeoutSeconds } = over;
  const downloads = undiciDownloads({ allowPrivateHosts: [site.host], userAgent: 'Switchboard/test' });
  closing.push(() => downloads.close());
  return linkPreviews({ downloads, mediaTools: tools, timeoutSeconds }).find(url, { workspaceId, signal });
}

test('a page’s title, description and image are found, with the image in any URL form', async () => {
  const imageBytes = await solidImage(120, 60).png().toBuffer();
  pages.set(
    '/blog/post',
    html(
      '<title>Plain</title><meta property="og:title" content="A  &amp; B"><meta property="og:description" content="Words"><meta property="og:image" content="../img/a.png">',
    ),
  );
  pages.set('/img/a.png', file(imageBytes));
  const card = await find(`${site.url}/blog/post`);
  expect(card).toMatchObject({
    url: `${site.url}/blog/post`,
    title: 'A & B',
    description: 'Words',
    image: {
      type: 'image/png',
      width: 120,
      height: 60,
      bytes: imageBytes.length,
      sha256: createHash('sha256').update(imageBytes).digest('hex'),
    },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of card?.image?.read() ?? []) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(imageBytes)).toBe(true);
});

test('a redirect is followed, and its image URL is relative to the final page', async () => {
  pages.set('/old', to('/new/'));
  pages.set('/new/', html('<title>Here</title><meta name="twitter:image" content="a.png">'));
  pages.set('/new/a.png', file(await solidImage(10, 10).png().toBuffer()));
  expect(await find(`${site.url}/old`)).toMatchObject({
    url: `${site.url}/old`,
    title: 'Here',
    description: '',
    image: { width: 10 },
  });
});

test('a page in a legacy encoding is read', async () => {
  pages.set('/', (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
      .end(Buffer.from('<title>Caf\u00e9</title>', 'latin1')),
  );
  expect(await find(`${site.url}/`)).toMatchObject({ title: 'Café' });
});

test.each<[string, Serve]>([
  ['says nothing of itself', html('<meta name="viewport" content="width=device-width">')],
  ['is not HTML', file(Buffer.from('<title>No</title>'), 'text/plain')],
  ['does not exist', (_request, response) => response.writeHead(404).end('<title>Not found</title>')],
  [
    'breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 1000 });
      response.write('<ti', () => response.destroy());
    },
  ],
  ['goes in circles', to('/')],
])('a page that %s has no card', async (_, answer) => {
  pages.set('/', answer);
  expect(await find(`${site.url}/`)).toBeNull();
});

test('of an endless page only the start is read', async () => {
  pages.set('/', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<title>Endless</title>');
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  expect(await find(`${site.url}/`)).toMatchObject({ title: 'Endless' });
});

describe('the time limit applies', () => {
  // Nothing else ends these: the server never responds, and the downloads have no time limit of their own.
  const never = new Promise<never>(() => undefined);
  const findWithin = (timeoutSeconds: number, open: Downloads['open']) => {
    const { signal } = new AbortController();
    return linkPreviews({ downloads: { open }, mediaTools: tools, timeoutSeconds }).find(
      'https://example.com/',
      {
        workspaceId,
        signal,
      },
    );
  };
  // Timers of one process fire in the order of their due times, however busy the machine is.
  const within = <Value>(ms: number, work: Promise<Value>) =>
    Promise.race([work, new Promise((resolve) => setTimeout(() => resolve('too late'), ms))]);

  test('to a page that does not respond', async () => {
    expect(
      await within(
        1000,
        findWithin(0.3, () => never),
      ),
    ).toBeNull();
  });

  test('to an image that does not arrive: the card then has no image', async () => {
    async function* pieces(bytes: Buffer) {
      yield bytes;
    }
    const page = Buffer.from('<title>Slow</title><meta property="og:image" content="/a.png">');
    const open: Downloads['open'] = async ({ url }) =>
      url.endsWith('.png')
        ? never
        : { kind: 'opened', url, type: 'text/html', length: null, bytes: pieces(page) };
    const card = await within(1000, findWithin(0.3, open));
    expect(card).toMatchObject({ title: 'Slow', image: null });
  });

  test('and the preview is cancelled when the caller aborts', async () => {
    expect(await find(`${site.url}/`, { signal: AbortSignal.abort() })).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe('an image', () => {
  // Long enough for a busy machine to scale an image down.
  const withImage = async (image: Serve, at = '/a', timeoutSeconds = 20) => {
    pages.set('/', html(`<title>Page</title><meta property="og:image" content="${at}">`));
    pages.set('/a', image);
    const card = await find(`${site.url}/`, { timeoutSeconds });
    expect(card).toMatchObject({ title: 'Page' });
    return card?.image ?? null;
  };

  test('that is too large is made to fit', async () => {
    const large = await noiseImage(2040, 300).png().toBuffer();
    expect(large.length).toBeGreaterThan(1_000_000);
    const image = await withImage(file(large));
    expect(image?.bytes).toBeLessThanOrEqual(1_000_000);
    expect(image?.width).toBeLessThanOrEqual(2000);
    expect(['image/jpeg', 'image/png', 'image/webp']).toContain(image?.type);
  }, 30_000);

  test('of a type that not all platforms accept is converted', async () => {
    const avif = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .avif()
      .toBuffer();
    expect((await withImage(file(avif, 'image/avif')))?.type).toBe('image/jpeg');
  });

  test.each<[string, () => Serve | Promise<Serve>]>([
    ['is a page', () => html('<title>No image</title>', 'image/png')],
    ['is a program', () => file(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')],
    ['is broken', async () => file((await solidImage(64, 64).png().toBuffer()).subarray(0, 60))],
    ['moves', async () => file(await animatedImage('gif'), 'image/gif')],
    ['unfolds beyond measure', () => file(bombPng(60_000, 60_000))],
    [
      'is endless',
      () => (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(262_144)));
        };
        response.on('drain', more);
        more();
      },
    ],
    ['does not exist', () => (_request, response) => response.writeHead(500).end()],
  ])('that %s is omitted', async (_, image) => {
    expect(await withImage(await image())).toBeNull();
  });

  test.each(['data:image/png;base64,iVBORw0KGgo=', 'file:///etc/passwd', 'javascript:alert(1)', 'http://'])(
    'at %s is omitted',
    async (at) => expect(await withImage(() => undefined, at)).toBeNull(),
  );
});

describe('private addresses are never reached', () => {
  let secrets: Awaited<ReturnType<typeof serve>>;
  let reached: number;
  beforeEach(async () => {
    reached = 0;
    secrets = await serve((_request, response) => {
      reached++;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Secret</title>');
    });
  });
  const spellings = () => {
    const port = secrets.host.split(':')[1];
    return ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'].map(
      (name) => `http://${name}:${port}/`,
    );
  };

  test('by the link itself', async () => {
    for (const url of spellings()) expect([url, await find(url)]).toEqual([url, null]);
    expect(reached).toBe(0);
  });

  test('by a redirect of the page', async () => {
    for (const url of [...spellings(), 'http://169.254.169.254/latest/meta-data/']) {
      pages.set('/', to(url));
      expect([url, await find(`${site.url}/`)]).toEqual([url, null]);
    }
    expect(reached).toBe(0);
  });

  test('by its image URL, or by a redirect of that', async () => {
    for (const url of [...spellings(), 'http://169.254.169.254/a.png']) {
      for (const at of [url, '/moved']) {
        pages.set('/', html(`<title>Page</title><meta property="og:image" content="${at}">`));
        pages.set('/moved', to(url));
        expect([url, await find(`${site.url}/`)]).toEqual([url, expect.objectContaining({ image: null })]);
      }
    }
    expect(reached).toBe(0);
  });

  test('by a base URL that the page sets', async () => {
    pages.set(
      '/',
      html(`<base href="${secrets.url}/"><title>Page</title><meta property="og:image" content="a">`),
    );
    expect(await find(`${site.url}/`)).toMatchObject({ title: 'Page', image: null });
    expect(reached).toBe(0);
  });
});
