import type { Platform } from '@switchboard/domain/ports';
import { API_VERSION, isCompatibleVersion } from '@switchboard/platform-kit/api-version';
import { findContradictions } from '@switchboard/platform-kit/define-platform';
import { z } from 'zod';
import { environment, platformVariablesOf } from '../environment.js';

const text = z.string().min(1).max(2000);
const limit = z.looseObject({ max: z.int().positive(), unit: text });
const origin = z.string().refine((url) => url.startsWith('https://'), 'an https origin');
const permissions = z.partialRecord(
  z.enum(['publishing', 'analytics', 'orders', 'refunds']),
  z.array(text).readonly(),
);

/** What everything that reads a manifest relies on; `findContradictions` checks how its facts fit together. */
const manifestShape = z.looseObject({
  id: z.string().max(40),
  name: text,
  kind: z.enum(['social', 'commerce']),
  sandbox: z.literal(false),
  connect: z
    .array(
      z.looseObject({
        id: text,
        label: text,
        scheme: text,
        needsApp: z.boolean(),
        appPlatform: z.undefined({ error: 'an external platform cannot use the app of another' }).optional(),
        permissions: permissions.optional(),
        fields: z.array(
          z.looseObject({
            kind: z.enum(['text', 'handle', 'instance', 'shop', 'store_url', 'url', 'key', 'password']),
            name: text,
            label: z.string(),
            hint: z.string(),
            required: z.boolean(),
            placeholder: z.string(),
          }),
        ),
      }),
    )
    .min(1),
  permissions,
  text: limit.nullable(),
  media: z.looseObject({ max: z.int() }).nullable(),
  title: limit.nullable(),
  thread: z.boolean(),
  firstComment: z.looseObject({ max: z.int().nullable() }).nullable(),
  linkCards: z.boolean(),
  options: z.array(
    z.looseObject({
      name: text,
      label: text,
      type: z.enum(['string', 'boolean', 'choice', 'string_list']),
      required: z.boolean(),
      choices: z.array(z.looseObject({ value: z.string(), label: z.string() })).optional(),
    }),
  ),
  metrics: z.array(
    z.looseObject({ metric: text, nativeName: text, definition: text, lagHours: z.number(), subject: text }),
  ),
  postList: z.looseObject({}).nullable(),
  refunds: z.looseObject({}).nullable(),
  setup: z.looseObject({
    consoleUrl: z.string().nullable(),
    reviewNeeded: z.boolean(),
    pitfalls: z.array(text),
  }),
  baseUrl: origin.nullable(),
  authBaseUrl: origin.nullable(),
  consentBaseUrl: origin.optional(),
  uploadBaseUrl: origin.optional(),
  analyticsBaseUrl: origin.optional(),
  otherBaseUrls: z.record(z.string().max(40), origin).optional(),
  userAgent: text.optional(),
  apiVersion: text.nullable(),
  apiVersionEndsOn: text.nullable(),
  evidence: z.enum(['real_server', 'published_description', 'simulator']),
  verifiedOn: text,
  docsUrl: z.url({ protocol: /^https?$/ }),
});

const method = z.custom<() => unknown>((value) => typeof value === 'function', 'a function');
const platformShape = z.looseObject({
  connecting: z.looseObject({ identify: method }),
  publishing: z
    .looseObject({
      count: method,
      finalText: method,
      publish: method,
      check: method.optional(),
      cost: method.optional(),
      find: method.optional(),
      resolvePublishedUrl: method.optional(),
      exists: method.optional(),
      edit: method.optional(),
      isEdited: method.optional(),
      checkEdit: method.optional(),
      remove: method.optional(),
      options: method.optional(),
      quotas: method.optional(),
    })
    .optional(),
  analytics: z
    .looseObject({
      ofPosts: method.optional(),
      ofAccount: method.optional(),
      ofDays: method.optional(),
      listPosts: method.optional(),
    })
    .optional(),
  orders: z
    .looseObject({
      filters: z.array(z.string()),
      countsPages: z.boolean().optional(),
      list: method,
      get: method,
      listShipments: method.optional(),
    })
    .optional(),
  refunds: z
    .looseObject({ refund: method, find: method.optional(), calculate: method.optional() })
    .optional(),
});

/**
 * The platform that an external package exports, with a copy of its manifest that the package cannot change.
 * Throws with the reason why it cannot be used.
 */
export function checkExternalPlatform(exported: unknown, takenIds: readonly string[]): Platform {
  const { apiVersion, manifest: facts } = (exported ?? {}) as {
    readonly apiVersion?: unknown;
    readonly manifest?: unknown;
  };
  if (facts === undefined) throw new Error('its default export is no platform: use definePlatform');
  if (typeof apiVersion !== 'string')
    throw new Error('its default export has no apiVersion: use definePlatform of @switchboard/platform-kit');
  if (!isCompatibleVersion(apiVersion)) {
    throw new Error(
      `it was built for version ${apiVersion} of the platform kit, and this Switchboard has ${API_VERSION}`,
    );
  }
  const copy = copyData(facts);
  const checked = manifestShape.safeParse(copy);
  if (!checked.success) throw new Error(`its manifest is invalid: ${describe(checked.error)}`);
  const { id } = checked.data;
  const members = platformShape.safeParse(exported);
  if (!members.success) throw new Error(`${id} is incomplete: ${describe(members.error)}`);
  if (takenIds.includes(id)) throw new Error(`the id ${id} is taken by another platform`);
  const variable = platformVariablesOf(checked.data).find((name) => name in environment.shape);
  if (variable !== undefined) throw new Error(`the id ${id} would give ${variable} two meanings`);
  const platform = {
    ...(exported as Platform),
    manifest: { ...(copy as Platform['manifest']), source: 'external' } as const,
  };
  const [contradiction] = findContradictions(platform);
  if (contradiction !== undefined) throw new Error(`${id} contradicts itself: ${contradiction}`);
  return platform;
}

/** A manifest is data: it has no getters that answer differently later, and no functions. */
function copyData(facts: unknown): unknown {
  try {
    return structuredClone(facts);
  } catch {
    throw new Error('its manifest contains functions');
  }
}

const describe = ({ issues: [first] }: z.ZodError): string =>
  `${first?.path.join('.') ?? ''}: ${(first?.message ?? '').replace(/^Invalid input: /, '')}`;
