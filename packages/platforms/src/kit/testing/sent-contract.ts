import { describe, expect, test } from '@jest/globals';
import { type PlatformRequest, type PublishItem, type Publishing, type Session } from '@switchboard/domain';
import type { Bench } from './bench.js';
import { nothingKept } from './calls.js';

type Content = Partial<PublishItem>;

/** One thing that a post may be published with, and how its requests carry it. */
export interface SentContent {
  readonly name: string;
  /** The post without it. */
  readonly plain: Content;
  readonly content: Content;
  /** The value that some field of the requests must have, or, of a link, contain. */
  readonly wire: string;
  readonly isContained?: boolean;
}

/** A link and every option that the manifest offers reach the platform. */
export function sentContract(bench: Bench, publishing: Publishing): void {
  const { options } = bench.platform.manifest;
  describe('the requests that publish a post carry', () => {
    test.each(['the link', ...options.map(({ name }) => `the option ${name}`)])('%s', async (name) => {
      const all = await sentContentsOf(bench, publishing);
      const contents = all.filter((one) => one.name.split('=')[0] === name);
      expect(contents.length).toBeGreaterThan(0);
      const violations = [];
      for (const content of contents) violations.push(await sentViolation(bench, publishing, content));
      expect(violations.filter((one) => one !== null)).toEqual([]);
    });
  });
}

/** Null where the requests carry the content, and the requests of a post without it do not. */
export async function sentViolation(
  { open, post }: Bench,
  publishing: Publishing,
  { name, plain, content, wire, isContained = false }: SentContent,
): Promise<string | null> {
  const text = `Sent No. ${++texts}`;
  const send = async (more: Content) => {
    const recorded: PlatformRequest[] = [];
    const sent = await publishing.publish(recording(open(), recorded), post(text, more), nothingKept);
    const fields = await Promise.all(recorded.filter(({ effect }) => effect !== 'read').map(fieldsOf));
    return { sent, fields: fields.flat() };
  };
  const [first, second, other] = [await send(plain), await send(plain), await send(content)];
  if (!first.sent.ok) return `${name}: ${first.sent.failure.code} without it`;
  if (!other.sent.ok) return `${name}: ${other.sent.failure.code}`;
  const known = new Set([...first.fields, ...second.fields].map(written));
  // Ids and keys, which differ from post to post.
  const varying = new Set(first.fields.filter((one) => !has(second.fields, one)).map((one) => one.name));
  const added = other.fields.filter((one) => !varying.has(one.name) && !known.has(written(one)));
  const carries = ({ name: field, value }: Field) =>
    isContained ? value.includes(wire) : value === wire || `${field}=${value}`.endsWith(`.${wire}`);
  return added.some(carries) ? null : `${name} is not sent: ${JSON.stringify(added.map(written))}`;
}

let texts = 0;

interface Field {
  readonly name: string;
  readonly value: string;
}

const written = ({ name, value }: Field) => `${name}=${value}`;
const has = (fields: readonly Field[], one: Field) => fields.map(written).includes(written(one));

const recording = (session: Session, recorded: PlatformRequest[]): Session => ({
  ...session,
  async request(request) {
    recorded.push(request);
    return session.request(request);
  },
});

/** The query and the body of a request, field by field. */
async function fieldsOf({ method, path, query, json, form, body }: PlatformRequest): Promise<Field[]> {
  const url = new URL(path, 'http://localhost');
  const place = `${method} ${url.pathname.replace(/\/[^/]*\d[^/]*/g, '/*')}`;
  return [
    { name: 'request.path', value: place },
    ...leavesOf({ ...Object.fromEntries(url.searchParams), ...query }, `${place} query`),
    ...leavesOf(json ?? form ?? (await bodyOf(body)), `${place} body`),
  ];
}

async function bodyOf(body: PlatformRequest['body']): Promise<unknown> {
  if (!body) return undefined;
  const chunks = 'bytes' in body ? [body.bytes] : [];
  if ('stream' in body) for await (const chunk of body.stream()) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (body.type.startsWith('application/json')) return JSON.parse(whole.toString()) as unknown;
  if (!body.type.startsWith('multipart/form-data')) return undefined;
  const form = await new Response(whole, { headers: { 'content-type': body.type } }).formData();
  const isText = (entry: readonly [string, unknown]) => typeof entry[1] === 'string';
  return Object.fromEntries([...form].filter(isText));
}

function leavesOf(value: unknown, name: string): Field[] {
  if (value === undefined) return [];
  if (typeof value === 'string' && /^[[{]/.test(value)) {
    try {
      return leavesOf(JSON.parse(value), name);
    } catch {
      return [{ name, value }];
    }
  }
  if (typeof value === 'string') return [{ name, value }];
  if (value === null || typeof value !== 'object') return [{ name, value: JSON.stringify(value) }];
  return Object.entries(value).flatMap(([key, below]) =>
    leavesOf(below, Array.isArray(value) ? `${name}.*` : `${name}.${key}`),
  );
}

const LINK = 'https://example.com/sent';

/** The link, and each value of each option; of text that the manifest does not list, the world's sample. */
export async function sentContentsOf(
  { platform, world, open, value }: Bench,
  publishing: Publishing,
): Promise<readonly SentContent[]> {
  const { needs, optionSamples, optionContent, wireValues, optionDefaults } = world();
  const asked = publishing.options ? value(await publishing.options(open())).options : undefined;
  const link = { name: 'the link', plain: {}, content: { link: LINK }, wire: LINK, isContained: true };
  const options = platform.manifest.options.flatMap(({ name, type, choices }): readonly SentContent[] => {
    const listed = choices ?? asked?.find((one) => one.name === name)?.choices;
    const sample = optionSamples?.[name] ?? listed?.map((one) => one.value);
    const values =
      sample ?? (type === 'boolean' ? [true, false] : type === 'string_list' ? [['sample']] : ['sample']);
    const known = optionDefaults && name in optionDefaults;
    const left = known ? optionDefaults[name] : type === 'boolean' ? false : undefined;
    return values
      .filter((one) => one !== left)
      .map((one) => {
        const needed = optionContent?.[name]?.() ?? {};
        const content = { ...needed, options: { ...needed.options, [name]: one } };
        // What every post needs is there beforehand, with another of its values.
        const other = needs?.options?.[name] === one ? values.findLast((value) => value !== one) : undefined;
        const plain =
          other === undefined ? needed : { ...needed, options: { ...needed.options, [name]: other } };
        const called = `${name}=${String(one)}`;
        return { name: `the option ${called}`, plain, content, wire: wireValues?.[called] ?? String(one) };
      });
  });
  return [link, ...options];
}
