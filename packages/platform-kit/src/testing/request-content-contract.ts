import { describe, expect, test } from '@jest/globals';
import type { PlatformRequest, PublishItem, Publishing, Session } from '@switchboard/domain/ports';
import type { ContractContext } from './contract-context.js';
import { discardReceipt } from './calls.js';
import type { World } from './world.js';

type PostContent = Partial<PublishItem>;

/** A content element of a post and how its requests carry it. */
interface RequestContent {
  readonly name: string;
  /** The post without it. */
  readonly plain: PostContent;
  readonly content: PostContent;
  readonly wire: Wire;
  /** For a default value: how the value of the other post is sent. None of that may remain. */
  readonly instead?: Wire | undefined;
  /** The fields of the other options, which must not appear because of this one. */
  readonly others?: readonly Wire[];
  /** The platform refuses this value for such an account after receiving it. */
  readonly isRefused?: boolean;
}

/** How a request carries an element. */
interface Wire {
  /** The name of the field; null matches any. */
  readonly field: string | null;
  /** Its value or a part of it; null matches any. */
  readonly value: string | null;
  readonly isPart?: boolean;
}

/** A link and every option in the manifest reach the platform. */
export function requestContentContract(bench: ContractContext, publishing: Publishing): void {
  const { options } = bench.platform.manifest;
  describe('the requests that publish a post carry', () => {
    test.each(['the link', ...options.map(({ name }) => `the option ${name}`)])('%s', async (name) => {
      const all = await listRequestContents(bench, publishing);
      const contents = all.filter((one) => one.name.split('=')[0] === name);
      expect(contents.length).toBeGreaterThan(0);
      const violations = [];
      for (const content of contents)
        violations.push(await requestContentViolation(bench, publishing, content));
      expect(violations.filter((one) => one !== null)).toEqual([]);
    });
  });
}

/** Null if the requests carry the content and the requests of a post without it do not. */
export async function requestContentViolation(
  { open, post }: ContractContext,
  publishing: Publishing,
  { name, plain, content, wire, instead, others = [], isRefused = false }: RequestContent,
): Promise<string | null> {
  const text = `Sent No. ${++texts}`;
  const send = async (more: PostContent) => {
    const recorded: PlatformRequest[] = [];
    const sent = await publishing.publish(recordRequests(open(), recorded), post(text, more), discardReceipt);
    const fields = await Promise.all(recorded.filter(({ effect }) => effect !== 'read').map(fieldsOf));
    return { sent, fields: fields.flat() };
  };
  const [first, second, other] = [await send(plain), await send(plain), await send(content)];
  if (!first.sent.ok) return `${name}: ${first.sent.failure.code} without it`;
  if (other.sent.ok === isRefused || (!other.sent.ok && other.sent.failure.code !== 'platform.refused')) {
    return `${name}: ${other.sent.ok ? 'ok' : other.sent.failure.code}`;
  }
  const known = new Set([...first.fields, ...second.fields].map(formatField));
  // IDs and keys, which differ between posts.
  const varying = new Set(first.fields.filter((one) => !has(second.fields, one)).map((one) => one.name));
  const added = other.fields.filter((one) => !varying.has(one.name) && !known.has(formatField(one)));
  const all = JSON.stringify(added.map(formatField));
  const foreign = others.find((one) => added.some((field) => carries(field, one)));
  if (foreign) return `${name} is sent as ${foreign.field}: ${all}`;
  if (added.some((field) => carries(field, wire))) return null;
  if (!instead) return `${name} is not sent: ${all}`;
  const remaining = other.fields.filter((field) => carries(field, instead)).map(formatField);
  return remaining.length > 0 ? `${name} is sent as another value: ${JSON.stringify(remaining)}` : null;
}

/** Lists are fields with one name; the position does not matter. */
const carries = ({ name, value }: RequestField, wire: Wire): boolean =>
  (wire.field === null || name.replace(/\.\*$/, '').endsWith(`.${wire.field}`)) &&
  (wire.value === null || (wire.isPart ? value.includes(wire.value) : value === wire.value));

let texts = 0;

interface RequestField {
  readonly name: string;
  readonly value: string;
}

const formatField = ({ name, value }: RequestField) => `${name}=${value}`;
const has = (fields: readonly RequestField[], one: RequestField) =>
  fields.map(formatField).includes(formatField(one));

const recordRequests = (session: Session, recorded: PlatformRequest[]): Session => ({
  ...session,
  async request(request) {
    recorded.push(request);
    return session.request(request);
  },
});

/** The query and the body of a request, field by field. */
async function fieldsOf({ method, path, query, json, form, body }: PlatformRequest): Promise<RequestField[]> {
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

function leavesOf(value: unknown, name: string): RequestField[] {
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

/**
 * The link, and each value of each option: all values that the manifest or the account lists, otherwise the
 * world's samples.
 */
export async function listRequestContents(
  { platform, world, open, value }: ContractContext,
  publishing: Publishing,
): Promise<readonly RequestContent[]> {
  const { options } = platform.manifest;
  const { needs, optionSamples, optionContent, optionDefaults, refusedOfAccount } = world();
  const requested = publishing.options ? value(await publishing.options(open())).options : undefined;
  const link: Wire = { field: null, value: LINK, isPart: true };
  return [
    { name: 'the link', plain: {}, content: { link: LINK }, wire: link },
    ...options.flatMap(({ name, type, choices }): readonly RequestContent[] => {
      const listed = choices ?? requested?.find((one) => one.name === name)?.choices;
      const values: readonly unknown[] =
        listed?.map((one) => one.value) ?? optionSamples?.[name] ?? samples[type];
      const known = optionDefaults && name in optionDefaults;
      const remaining = known ? optionDefaults[name] : type === 'boolean' ? false : undefined;
      const needed = optionContent?.[name]?.() ?? {};
      const having = (one: unknown) => ({ ...needed, options: { ...needed.options, [name]: one } });
      return values.map((one) => {
        // Required and default options are first set to another of their values.
        const isThere = one === remaining || needs?.options?.[name] === one;
        const called = (two: unknown) => `${name}=${String(two)}`;
        const isRefused = (two: unknown) => refusedOfAccount?.includes(called(two)) ?? false;
        const other = isThere ? values.findLast((two) => two !== one && !isRefused(two)) : undefined;
        return {
          name: `the option ${called(one)}`,
          plain: other === undefined ? needed : having(other),
          content: having(one),
          wire: wireOf(world(), name, one),
          instead: one === remaining && other !== undefined ? wireOf(world(), name, other) : undefined,
          others: options.flatMap((two) => (two.name === name ? [] : fieldOf(world(), two.name))),
          isRefused: isRefused(one),
        };
      });
    }),
  ];
}

const samples = { boolean: [true, false], string: ['sample'], string_list: [['sample']], choice: [] };

type Named = Pick<World, 'wireFields' | 'wireValues'>;

function wireOf({ wireFields, wireValues }: Named, name: string, value: unknown): Wire {
  const own = wireValues?.[`${name}=${String(value)}`] ?? String(value);
  const [, field = wireFields?.[name] ?? name, wire = own] = /^([^=]+)=(.*)$/.exec(own) ?? [];
  return { field, value: wire };
}

/** The field that carries this option and no other; none if its values have their own fields. */
function fieldOf({ wireFields, wireValues }: Named, name: string): readonly Wire[] {
  const isShared = Object.entries(wireValues ?? {}).some(
    ([value, wire]) => value.startsWith(`${name}=`) && wire.includes('='),
  );
  return isShared ? [] : [{ field: wireFields?.[name] ?? name, value: null }];
}
