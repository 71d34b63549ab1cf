import { sanitizeName } from '../tools/sanitize-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { unwrapResponse, type ToolReader } from '../tools/tool-reader.js';
import {
  parseResourceUri,
  RESOURCE_MEDIA_TYPE,
  resourceKinds,
  resourceUriOf,
  type ResourceKind,
} from './resource-kinds.js';

export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
}

const PAGE_SIZE = 50;

/**
 * The platforms, then the connected accounts page by page with the cursor of their list. Posts are too many
 * and change too often: they are reached through their template.
 */
export async function listResources(
  read: ToolReader,
  availableTools: readonly string[],
  cursor: string | undefined,
): Promise<ResourcePage> {
  const platforms = cursor === undefined ? rowsOf(unwrapResponse(await read('list_platforms', {}))) : [];
  const first = platforms.map(({ id, name, configured }) =>
    toResource(
      'platforms',
      text(id),
      text(name),
      configured === true ? 'Ready to connect.' : 'Not configured.',
    ),
  );
  if (!availableTools.includes('list_connections')) {
    if (cursor !== undefined)
      throw new ProtocolError('invalid_params', 'The cursor is invalid for this request.');
    return { resources: first };
  }
  const page = unwrapResponse(
    await read('list_connections', { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }),
  );
  const connections = rowsOf(page).map(({ id, platform, label, account, status }) => {
    const { username, name } = account as Row;
    const known = [label, username, name].find((each) => typeof each === 'string');
    return toResource(
      'connections',
      text(id),
      sanitizeName(text(known)) || text(id),
      `${text(platform)}, ${text(status)}`,
    );
  });
  const { next_cursor: nextCursor } = page;
  return {
    resources: [...first, ...connections],
    ...(typeof nextCursor === 'string' && { nextCursor }),
  };
}

export async function readResource(read: ToolReader, uri: string) {
  const target = parseResourceUri(uri);
  if (!target) {
    const known = resourceKinds.map((kind) => resourceUriOf(kind, '{id}')).join(', ');
    throw new ProtocolError('not_found', `Unknown resource. Available templates: ${known}.`);
  }
  const value = unwrapResponse(await read(target.kind.tool, { id: target.id }));
  return {
    uri,
    mimeType: RESOURCE_MEDIA_TYPE,
    /** JSON, as the tool that reads the same data returns it. */
    text: JSON.stringify(value),
  };
}

export type ResourceContent = Awaited<ReturnType<typeof readResource>>;

type Row = Readonly<Record<string, unknown>>;

const rowsOf = ({ data }: Row): readonly Row[] => data as Row[];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function toResource(name: ResourceKind['name'], id: string, title: string, description: string) {
  const kind = resourceKinds.find((each) => each.name === name) as ResourceKind;
  return { uri: resourceUriOf(kind, id), name: id, title, description, mimeType: RESOURCE_MEDIA_TYPE };
}

type Resource = ReturnType<typeof toResource>;
