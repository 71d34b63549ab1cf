import { nameOnly } from './name-only.js';
import { ProtocolError } from './protocol-error.js';
import { valueOf, type Reader } from './reader.js';
import { readUri, RESOURCE_TYPE, resourceKinds, uriOf, type ResourceKind } from './resource-kinds.js';

/** A resource as `resources/list` shows it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
}

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  /** JSON, as the tool that reads the same has it. */
  readonly text: string;
}

const PAGE = 50;

/**
 * The platforms, then the connected accounts a page at a time, with the cursor of their own list. Posts are too many, and too
 * soon others: they are found with their template.
 */
export async function listResources(
  read: Reader,
  inReach: readonly string[],
  cursor: string | undefined,
): Promise<ResourcePage> {
  const platforms = cursor === undefined ? rowsOf(valueOf(await read('list_platforms', {}))) : [];
  const first = platforms.map(({ id, name, configured }) =>
    listed(
      'platforms',
      text(id),
      text(name),
      configured === true ? 'Ready to be connected.' : 'Not set up yet.',
    ),
  );
  if (!inReach.includes('list_connections')) {
    if (cursor !== undefined) throw new ProtocolError('invalid_params', 'The cursor is not valid here.');
    return { resources: first };
  }
  const page = valueOf(
    await read('list_connections', { limit: PAGE, ...(cursor !== undefined && { cursor }) }),
  );
  const connections = rowsOf(page).map(({ id, platform, label, account, status }) => {
    const { username, name } = account as Row;
    const known = [label, username, name].find((each) => typeof each === 'string');
    return listed(
      'connections',
      text(id),
      nameOnly(text(known)) || text(id),
      `${text(platform)}, ${text(status)}`,
    );
  });
  const { next_cursor: nextCursor } = page;
  return {
    resources: [...first, ...connections],
    ...(typeof nextCursor === 'string' && { nextCursor }),
  };
}

export async function readResource(read: Reader, uri: string): Promise<ResourceContent> {
  const named = readUri(uri);
  if (!named) {
    const known = resourceKinds.map((kind) => uriOf(kind, '{id}')).join(', ');
    throw new ProtocolError('not_found', `There is no such resource. There are ${known}.`);
  }
  const value = valueOf(await read(named.kind.tool, { id: named.id }));
  return { uri, mimeType: RESOURCE_TYPE, text: JSON.stringify(value) };
}

type Row = Readonly<Record<string, unknown>>;

const rowsOf = ({ data }: Row): readonly Row[] => data as Row[];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function listed(name: ResourceKind['name'], id: string, title: string, description: string): Resource {
  const kind = resourceKinds.find((each) => each.name === name) as ResourceKind;
  return { uri: uriOf(kind, id), name: id, title, description, mimeType: RESOURCE_TYPE };
}
