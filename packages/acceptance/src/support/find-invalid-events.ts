import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@switchboard/bootstrap';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { closeObjects } from '../fuzz/close-objects.js';
import { formats } from '../fuzz/formats.js';
import { queryRows } from './database.js';
import type { JsonObject } from './json.js';

interface StoredEvent {
  readonly type: string;
}

/** Compares an event with the payload that the OpenAPI document describes for its type; null when it matches. */
export async function createEventValidator(): Promise<(event: StoredEvent) => string | null> {
  const text = await readFile(join(root, 'docs/generated/openapi.json'), 'utf8');
  const document = JSON.parse(text) as { webhooks: Record<string, { post: { requestBody: JsonObject } }> };
  const ajv = new Ajv2020({ strict: false, formats, logger: false });
  ajv.addSchema({ $id: 'document', ...(closeObjects(document, 'document') as JsonObject) });
  return (event) => {
    const pointer = `#/webhooks/${event.type}/post/requestBody/content/application~1json/schema`;
    if (!(event.type in document.webhooks)) return `${event.type} is not documented`;
    const validate = ajv.getSchema(`document${pointer}`);
    if (!validate) return `${event.type} has no schema`;
    return validate(event) === true
      ? null
      : `${event.type}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(event)}`;
  };
}

/** Used by all test files of a worker: to create it takes longer than to validate the events of a test. */
let validator: ReturnType<typeof createEventValidator> | undefined;

/** The events of an installation that differ from the OpenAPI document; none where its database is gone. */
export async function findInvalidEvents(databaseUrl: string): Promise<readonly string[]> {
  const events = await queryRows<StoredEvent>(
    databaseUrl,
    `SELECT id, type, profile_id, seq::int AS sequence, data,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at FROM events`,
  ).catch(() => []);
  if (events.length === 0) return [];
  const validate = await (validator ??= createEventValidator());
  return events.flatMap((event) => validate(event) ?? []);
}
