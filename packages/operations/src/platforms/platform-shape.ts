import { listRequestedPermissions, registeredRedirectUri } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';
import type { OrderQuery } from '@switchboard/domain/ports';
import { z } from 'zod';
import { toWireFormat } from '../wire-format.js';
import { mediaShape, presentMediaRules } from './media-rules-shape.js';
import { components } from '../shapes.js';

const field = z.object({
  name: z.string(),
  label: z.string(),
  kind: z.enum(['text', 'handle', 'instance', 'shop', 'store_url', 'url', 'key', 'password']),
  required: z.boolean(),
});
field.register(components, { id: 'ConnectField' });

export const optionChoice = z
  .object({ value: z.string(), label: z.string() })
  .register(components, { id: 'OptionChoice' });

/** One row of the list. */
export const platformRow = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['social', 'commerce']),
  source: z.enum(['built_in', 'external']),
  configured: z.boolean(),
  missing: z.array(z.string()),
  connect: z.object({ method: z.string(), fields: z.array(field) }),
  capabilities: z
    .object({
      publishing: z.object({ read_back: z.boolean(), unpublish: z.boolean(), edit: z.boolean() }).optional(),
      analytics: z.object({ posts: z.boolean(), account: z.boolean(), elsewhere: z.boolean() }).optional(),
      orders: z.object({ store_filters: z.array(z.string()) }).optional(),
      refunds: z.object({ read_back: z.boolean() }).optional(),
    })
    .register(components, { id: 'Capabilities' }),
});
platformRow.register(components, { id: 'PlatformSummary' });

const connectMethod = z.object({ id: z.string(), label: z.string(), fields: z.array(field) });

/** The complete description of a platform. */
export const platformShape = platformRow
  .extend({
    ways: z.array(connectMethod),
    limits: z.object({
      text: z.object({ max: z.int(), unit: z.string() }).nullable(),
      title: z.object({ max: z.int(), unit: z.string(), required: z.boolean() }).nullable(),
      media: mediaShape.nullable(),
      thread: z.boolean(),
      first_comment: z.object({ max: z.int().nullable() }).nullable(),
    }),
    options: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        type: z.string(),
        required: z.boolean(),
        max: z.int().nullable(),
        choices: z.array(optionChoice),
      }),
    ),
    metrics: z.array(
      z.object({
        metric: z.string(),
        native_name: z.string(),
        definition: z.string(),
        lag_hours: z.number(),
        subject: z.string(),
      }),
    ),
    refund_options: z
      .object({
        line_items: z.boolean(),
        shipping: z.boolean(),
        restock: z.boolean(),
        restock_by_line: z.boolean(),
        locations: z.boolean(),
        notify_customer: z.boolean(),
        offline: z.boolean(),
      })
      .nullable(),
    setup: z.object({
      console_url: z.string().nullable(),
      redirect_uri: z.string().nullable(),
      permissions: z.array(z.string()),
      review_needed: z.boolean(),
      pitfalls: z.array(z.string()),
    }),
    api_version: z.string().nullable(),
    api_version_ends_on: z.string().nullable(),
    evidence: z.enum(['real_server', 'published_description', 'simulator']),
    verified_on: z.string(),
    docs_url: z.string(),
  })
  .register(components, { id: 'Platform' });

/** The filters of a store, named as in the order listing. */
const filterNames: Readonly<Record<keyof OrderQuery, string>> = {
  sort: 'sort',
  statuses: 'status',
  paymentStatuses: 'payment_status',
  fulfillmentStatuses: 'fulfillment_status',
  createdAfter: 'created_after',
  createdBefore: 'created_before',
  updatedAfter: 'updated_after',
  updatedBefore: 'updated_before',
  number: 'number',
  email: 'email',
  minTotalMinor: 'min_total',
  maxTotalMinor: 'max_total',
  currency: 'currency',
};

export function presentPlatformRow({
  manifest,
  abilities,
  missing,
  connectMethods,
}: PlatformFacts): z.input<typeof platformRow> {
  const { publishing, analytics, orders, refunds } = abilities;
  const [first] = connectMethods;
  const unpublish =
    publishing?.unpublish === true &&
    connectMethods.some(({ supportsUnpublish }) => supportsUnpublish !== false);
  return {
    id: manifest.id,
    name: manifest.name,
    kind: manifest.kind,
    source: manifest.source ?? 'built_in',
    configured: missing.length === 0,
    missing: [...missing],
    connect: { method: first.id, fields: toWireFormat(first.fields) },
    capabilities: {
      ...(publishing && { publishing: { read_back: publishing.readBack, unpublish, edit: publishing.edit } }),
      ...(analytics && { analytics }),
      ...(orders && { orders: { store_filters: orders.filters.map((name) => filterNames[name]) } }),
      ...(refunds && { refunds: { read_back: refunds.readBack } }),
    },
  };
}

/** Enough of a platform to choose one: what it can do, without how. */
export const compactPlatform = ({
  id,
  name,
  kind,
  source,
  configured,
  capabilities,
}: z.output<typeof platformRow>) => ({
  id,
  name,
  kind,
  ...(source === 'external' && { source }),
  configured,
  capabilities: Object.keys(capabilities),
});

export function presentPlatform(facts: PlatformFacts, publicUrl: string): z.input<typeof platformShape> {
  const { manifest } = facts;
  const { refunds, setup, metrics, apiVersion, apiVersionEndsOn, evidence, verifiedOn, docsUrl } = manifest;
  return {
    ...presentPlatformRow(facts),
    ...toWireFormat({ metrics, apiVersion, apiVersionEndsOn, evidence, verifiedOn, docsUrl }),
    ways: manifest.connect.map(({ id, label, fields }) => ({ id, label, fields: toWireFormat(fields) })),
    limits: {
      text: manifest.text,
      title: manifest.title,
      media: manifest.media && presentMediaRules(manifest.media),
      thread: manifest.thread,
      first_comment: manifest.firstComment,
    },
    options: manifest.options.map(({ name, label, type, required, max, choices }) => ({
      name,
      label,
      type,
      required,
      max: max ?? null,
      choices: choices?.map((choice) => ({ ...choice })) ?? [],
    })),
    refund_options: refunds && { ...toWireFormat(refunds), line_items: refunds.lines },
    setup: {
      ...toWireFormat(setup),
      redirect_uri: registeredRedirectUri(manifest, publicUrl),
      permissions: listRequestedPermissions(manifest),
    },
  };
}

export const examplePlatformRow: z.input<typeof platformRow> = {
  id: 'bluesky',
  name: 'Bluesky',
  kind: 'social',
  source: 'built_in',
  configured: true,
  missing: [],
  connect: {
    method: 'oauth',
    fields: [{ name: 'handle', label: 'Handle or server', kind: 'text', required: false }],
  },
  capabilities: {
    publishing: { read_back: true, unpublish: true, edit: false },
    analytics: { posts: true, account: true, elsewhere: true },
  },
};
