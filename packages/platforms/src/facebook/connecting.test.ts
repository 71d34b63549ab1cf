import { afterEach, expect, test } from '@jest/globals';
import { FACEBOOK_PERMISSIONS, startFacebook, type FacebookOptions } from '@switchboard/simulators';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';

const all: readonly string[] = FACEBOOK_PERMISSIONS;
const unauthorized = { username: null, name: null, avatarUrl: null, url: null };
const bakery = { id: '1', name: 'Bakery', username: 'bakery', followers: 1, tasks: ['MANAGE'] };
const owned = { id: '2', name: 'Owned', username: 'owned', followers: 1, tasks: ['MANAGE'] };
const foreign = { id: '3', name: 'Foreign', username: 'foreign', followers: 1, tasks: [] };

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** A user who has just consented: no account is chosen yet. */
async function arrive(options: FacebookOptions, scopes: readonly string[] = all) {
  const facebook = await startFacebook({ pages: [bakery, owned, foreign], ...options });
  close = () => facebook.close();
  const user = options.user?.id ?? '10150000000000001';
  const token = facebook.tokens.issue({ clientId: '', account: user, scopes }, 3_600);
  const { apiVersion } = manifest;
  const open = (bearer: string, id: string) =>
    testSession({ baseUrl: facebook.url, token: bearer, apiVersion, account: { id, ...unauthorized } });
  return { facebook, open, login: open(token, '') };
}

const alice = (businesses: NonNullable<FacebookOptions['user']>['businesses'], pages = ['1']) => ({
  user: { id: '9', name: 'Alice', pages, businesses },
});

test('a chosen page identifies itself with its own token', async () => {
  const { login, open } = await arrive(alice([]));
  const found = await connecting.identify(login);
  const [page] = found.ok ? found.value : [];
  const itself = await connecting.identify(open(page?.credential?.reveal() ?? '', '1'));
  expect(itself).toEqual({
    ok: true,
    value: [
      {
        id: '1',
        username: 'bakery',
        name: 'Bakery',
        avatarUrl: 'https://scontent.xx.fbcdn.net/1.jpg',
        url: 'https://www.facebook.com/bakery',
      },
    ],
  });
});

test('pages of a business are requested with their token, and left out without one', async () => {
  const { login } = await arrive(alice([{ id: '8', owned: ['1', '2'], client: ['3'] }]));
  const found = await connecting.identify(login);
  expect(found.ok && found.value.map(({ id }) => id)).toEqual(['1', '2']);
  expect(found.ok && found.value.every(({ credential }) => credential)).toBe(true);
});

test('the tokens of at most a hundred pages of businesses are requested', async () => {
  const pages = Array.from({ length: 130 }, (_, at) => ({ ...bakery, id: String(1_000 + at) }));
  const businesses = [0, 65].map((from) => ({
    id: `8${from}`,
    client: [],
    owned: pages.slice(from, from + 65).map(({ id }) => id),
  }));
  const { login } = await arrive({ pages, ...alice(businesses, []) });
  const found = await connecting.identify(login);
  expect(found.ok && found.value.map(({ id }) => id)).toEqual(pages.slice(0, 100).map(({ id }) => id));
});

test('businesses are not requested without the permission', async () => {
  const business = alice([{ id: '8', owned: ['2'], client: [] }]);
  const { login, facebook } = await arrive(
    business,
    all.filter((permission) => permission !== 'business_management'),
  );
  const found = await connecting.identify(login);
  expect(found.ok && found.value.map(({ id }) => id)).toEqual(['1']);
  expect(facebook.exchanges().some(({ request }) => request.path.endsWith('/businesses'))).toBe(false);
});

test('a user who shared no page has none', async () => {
  const { login } = await arrive(alice([], []));
  expect(await connecting.identify(login)).toEqual({ ok: true, value: [] });
});

test('all pages are read, however many lists they fill', async () => {
  const pages = Array.from({ length: 230 }, (_, at) => ({ ...bakery, id: String(1_000 + at) }));
  const { login } = await arrive({
    pages,
    ...alice(
      [],
      pages.map(({ id }) => id),
    ),
  });
  const found = await connecting.identify(login);
  expect(found.ok && found.value.length).toBe(230);
});

test('a task that a person lacks on a page is a missing permission there', async () => {
  const tasks = ['CREATE_CONTENT', 'ANALYZE'];
  const { login } = await arrive({ pages: [{ ...bakery, tasks }], ...alice([]) });
  const found = await connecting.identify(login);
  const [page] = found.ok ? found.value : [];
  expect(all.filter((permission) => !page?.permissions?.includes(permission))).toEqual([
    'pages_manage_engagement',
    'pages_read_user_content',
  ]);
});

test('a page on which the person may not create content is not offered', async () => {
  const { login } = await arrive({ pages: [{ ...bakery, tasks: ['ANALYZE', 'MODERATE'] }], ...alice([]) });
  expect(await connecting.identify(login)).toEqual({ ok: true, value: [] });
});
