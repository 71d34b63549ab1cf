/** A kind of resource with its URI template, and the tool that reads the same data. */
export interface ResourceKind {
  readonly name: 'platforms' | 'connections' | 'posts';
  readonly tool: string;
  /** The tool whose list completes the ids. */
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
    description: 'Limits, options, metrics and setup of a platform. The id is a name such as bluesky.',
  },
  {
    name: 'connections',
    tool: 'get_connection',
    list: 'list_connections',
    title: 'Connected account',
    description: 'One connected account or store and its status.',
  },
  {
    name: 'posts',
    tool: 'get_post',
    list: 'list_posts',
    title: 'Post',
    description: 'One post and its delivery to each account.',
  },
];

export const RESOURCE_MEDIA_TYPE = 'application/json';

export const resourceUriOf = ({ name }: ResourceKind, id: string): string => `switchboard://${name}/${id}`;

interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

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

/** The kind and id of a URI; null for an unknown URI. */
export function parseResourceUri(uri: string): { readonly kind: ResourceKind; readonly id: string } | null {
  const [, name, id] = /^switchboard:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const kind = resourceKinds.find((each) => each.name === name);
  return kind && id !== undefined ? { kind, id } : null;
}
