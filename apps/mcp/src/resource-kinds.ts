/** What can be read under an address, and the tool that reads the same. */
export interface ResourceKind {
  readonly name: 'platforms' | 'connections' | 'posts';
  readonly tool: string;
  /** The tool whose list completes its ids. */
  readonly list: string;
  readonly title: string;
  readonly description: string;
}

export const resourceKinds: readonly ResourceKind[] = [
  {
    name: 'platforms',
    tool: 'get_platform',
    list: 'list_platforms',
    title: 'Platform',
    description:
      'What a platform takes and gives: limits, options, metrics, set-up. The id is a name like bluesky.',
  },
  {
    name: 'connections',
    tool: 'get_connection',
    list: 'list_connections',
    title: 'Connected account',
    description: 'One connected account or store, and whether it still works.',
  },
  {
    name: 'posts',
    tool: 'get_post',
    list: 'list_posts',
    title: 'Post',
    description: 'One post and what became of it on every account.',
  },
];

export const RESOURCE_MEDIA_TYPE = 'application/json';

export const resourceUriOf = ({ name }: ResourceKind, id: string): string => `switchboard://${name}/${id}`;

/** A template as `resources/templates/list` shows it. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The templates of what these tools read. */
export const templatesFor = (tools: readonly { readonly name: string }[]): readonly ResourceTemplate[] =>
  resourceKinds
    .filter(({ tool }) => tools.some(({ name }) => name === tool))
    .map((kind) => ({
      uriTemplate: resourceUriOf(kind, '{id}'),
      name: kind.name,
      title: kind.title,
      description: kind.description,
      mimeType: RESOURCE_MEDIA_TYPE,
    }));

/** What an address names; null for one that is none of ours. */
export function parseResourceUri(uri: string): { readonly kind: ResourceKind; readonly id: string } | null {
  const [, name, id] = /^switchboard:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const kind = resourceKinds.find((each) => each.name === name);
  return kind && id !== undefined ? { kind, id } : null;
}
