import { prompts, type Completable } from './prompts.js';
import { ProtocolError } from './protocol-error.js';
import { valueOf, type Reader } from './reader.js';
import { resourceKinds, uriOf } from './resource-kinds.js';

/** What is being filled in, the id of a resource or an argument of a prompt, and what is typed so far. */
export interface Completing {
  readonly of: { readonly uri: string } | { readonly prompt: string };
  readonly argument: string;
  readonly typed: string;
}

export interface Completed {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore: boolean;
}

/** The protocol has room for no more. */
const MAX = 100;

type Row = Readonly<Record<string, unknown>>;

interface List {
  readonly tool: string;
  readonly input: Row;
  /** What the thing is called, besides its id. */
  readonly namesOf: (row: Row) => readonly unknown[];
}

const lists: Readonly<Record<Exclude<Completable, readonly string[]>, List>> = {
  platforms: { tool: 'list_platforms', input: {}, namesOf: ({ name }) => [name] },
  profiles: { tool: 'list_profiles', input: { limit: MAX }, namesOf: ({ name }) => [name] },
  connections: {
    tool: 'list_connections',
    input: { limit: MAX },
    namesOf({ platform, label, account }) {
      const { username, name } = account as Row;
      return [platform, label, username, name];
    },
  },
  posts: { tool: 'list_posts', input: { limit: MAX }, namesOf: ({ text }) => [text] },
};

/** The ids that begin with what was typed, or of what is called so: of the newest, where there are many. */
export async function complete(
  read: Reader,
  inReach: readonly string[],
  { of, argument, typed }: Completing,
): Promise<Completed> {
  const wanted = typed.toLowerCase();
  const completable = completableOf(of, argument);
  if (typeof completable !== 'string') {
    const values = completable.filter((value) => value.startsWith(wanted));
    return { values, total: values.length, hasMore: false };
  }
  const { tool, input, namesOf } = lists[completable];
  if (!inReach.includes(tool)) return { values: [], total: 0, hasMore: false };
  const { data, next_cursor: next } = valueOf(await read(tool, input));
  const values = (data as readonly (Row & { readonly id: string })[])
    .filter((row) => row.id.startsWith(wanted) || namesOf(row).some((name) => includes(name, wanted)))
    .map(({ id }) => id);
  return { values, ...(next === null && { total: values.length }), hasMore: next !== null };
}

const includes = (name: unknown, wanted: string): boolean =>
  typeof name === 'string' && name.toLowerCase().includes(wanted);

function completableOf(of: Completing['of'], argument: string): Completable {
  if ('uri' in of) {
    const kind = resourceKinds.find((each) => uriOf(each, '{id}') === of.uri);
    if (!kind) throw new ProtocolError('invalid_params', 'There is no such template of resources.');
    return argument === 'id' ? kind.name : [];
  }
  const prompt = prompts.find(({ name }) => name === of.prompt);
  if (!prompt) throw new ProtocolError('invalid_params', 'There is no such prompt.');
  return prompt.arguments.find(({ name }) => name === argument)?.completes ?? [];
}
