import { prompts, type Completable } from '../prompts/prompts.js';
import { ProtocolError } from './protocol-error.js';
import { unwrapResponse, type ToolReader } from '../tools/tool-reader.js';
import { resourceKinds, resourceUriOf } from '../resources/resource-kinds.js';

/** The completed item (the id of a resource or an argument of a prompt) and the typed prefix. */
export interface CompletionRequest {
  readonly ref: { readonly uri: string } | { readonly prompt: string };
  readonly argument: string;
  readonly typed: string;
}

export interface CompletionResult {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore: boolean;
}

/** The maximum of the protocol. */
const MAX_VALUES = 100;

type Row = Readonly<Record<string, unknown>>;

interface CompletionSource {
  readonly tool: string;
  readonly input: Row;
  /** The names of the item, besides its id. */
  readonly namesOf: (row: Row) => readonly unknown[];
}

const completionSources: Readonly<Record<Exclude<Completable, readonly string[]>, CompletionSource>> = {
  platforms: { tool: 'list_platforms', input: {}, namesOf: ({ name }) => [name] },
  profiles: { tool: 'list_profiles', input: { limit: MAX_VALUES }, namesOf: ({ name }) => [name] },
  connections: {
    tool: 'list_connections',
    input: { limit: MAX_VALUES },
    namesOf({ platform, label, account }) {
      const { username, name } = account as Row;
      return [platform, label, username, name];
    },
  },
  posts: { tool: 'list_posts', input: { limit: MAX_VALUES }, namesOf: ({ text }) => [text] },
};

/** Completes ids by prefix or by name; where there are many items, among the newest. */
export async function complete(
  read: ToolReader,
  availableTools: readonly string[],
  { ref, argument, typed }: CompletionRequest,
): Promise<CompletionResult> {
  const prefix = typed.toLowerCase();
  const completable = completableOf(ref, argument);
  if (typeof completable !== 'string') {
    const values = completable.filter((value) => value.startsWith(prefix));
    return { values, total: values.length, hasMore: false };
  }
  const { tool, input, namesOf } = completionSources[completable];
  if (!availableTools.includes(tool)) return { values: [], total: 0, hasMore: false };
  const { data, next_cursor: next } = unwrapResponse(await read(tool, input));
  const values = (data as readonly (Row & { readonly id: string })[])
    .filter((row) => row.id.startsWith(prefix) || namesOf(row).some((name) => includes(name, prefix)))
    .map(({ id }) => id);
  return { values, ...(next === null && { total: values.length }), hasMore: next !== null };
}

const includes = (name: unknown, prefix: string): boolean =>
  typeof name === 'string' && name.toLowerCase().includes(prefix);

function completableOf(ref: CompletionRequest['ref'], argument: string): Completable {
  if ('uri' in ref) {
    const kind = resourceKinds.find((each) => resourceUriOf(each, '{id}') === ref.uri);
    if (!kind) throw new ProtocolError('invalid_params', 'Unknown resource template.');
    return argument === 'id' ? kind.name : [];
  }
  const prompt = prompts.find(({ name }) => name === ref.prompt);
  if (!prompt) throw new ProtocolError('invalid_params', 'Unknown prompt.');
  return prompt.arguments.find(({ name }) => name === argument)?.completable ?? [];
}
