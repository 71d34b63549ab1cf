import { asObjects, asText, type JsonObject } from './json.js';
import type { McpClient } from './mcp-client.js';

interface NextToolCall {
  readonly operation: string;
  readonly arguments: JsonObject;
}

/**
 * A scripted replacement for a model in a conversation: it knows the available tools and the last response.
 * It takes the next step after an error from the error itself.
 */
export interface ScriptedAgent {
  /** A call that is expected to succeed; returns the structured content. */
  call(tool: string, given?: object): Promise<JsonObject>;
  /** A call that is expected to fail; returns the problem. */
  callExpectingError(tool: string, given: object, code: string): Promise<JsonObject>;
  /** Makes the call that a response names, unchanged. */
  followNext(answer: JsonObject): Promise<JsonObject>;
}

export function scriptedAgent(client: McpClient): ScriptedAgent {
  async function call(tool: string, given: object = {}): Promise<JsonObject> {
    const { isError, json, text: said } = await client.call(tool, given);
    if (isError) throw new Error(`${tool} ${JSON.stringify(given)} was rejected: ${said}`);
    return json;
  }
  return {
    call,
    async callExpectingError(tool, given, code) {
      const { isError, json, text: said } = await client.call(tool, given);
      if (!isError || json['code'] !== code)
        throw new Error(`${tool} ${JSON.stringify(given)} was not rejected with ${code}: ${said}`);
      return json;
    },
    async followNext(answer) {
      const next = answer['next'] as NextToolCall | null | undefined;
      if (!next) throw new Error(`no next call is named in ${JSON.stringify(answer)}`);
      return call(next.operation, next.arguments);
    },
  };
}

/** The allowed values of a field, from the error's message for that field. */
export function listChoices(problem: JsonObject, path: string): readonly string[] {
  const error = asObjects(problem['errors']).find((one) => one['path'] === path);
  if (!error) throw new Error(`no error for ${path} in ${JSON.stringify(problem)}`);
  return [...asText(error['message']).matchAll(/"([^"]+)"/g)].map(([, choice = '']) => choice);
}

/** The one of these tools that a sentence names. */
export function findToolName(sentence: string, tools: readonly string[]): string {
  const name = sentence.match(/\b[a-z]+(_[a-z]+)+\b/g)?.find((word) => tools.includes(word));
  if (name === undefined) throw new Error(`no tool is named in: ${sentence}`);
  return name;
}

/** The same arguments with the field names that an error gives: the intended one, or the missing one. */
export function renameFields(given: JsonObject, problem: JsonObject): JsonObject {
  const errors = asObjects(problem['errors']);
  const findErrors = (code: string) => errors.filter((error) => error['code'] === code);
  const missing = findErrors('field.required').map(({ path }) => asText(path));
  const names = findErrors('field.unknown').map(({ path, message }) => {
    const meant = /did you mean (\w+)/.exec(asText(message))?.[1] ?? missing[0];
    if (meant === undefined)
      throw new Error(`${asText(path)} cannot be corrected: ${JSON.stringify(problem)}`);
    return [asText(path), meant] as const;
  });
  const nameOf = new Map(names);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [nameOf.get(name) ?? name, value]));
}

/** The closest match by edit distance. */
export function findNearest(meant: string, words: readonly string[]): string {
  const [first, ...others] = words;
  if (first === undefined) throw new Error(`there is no candidate for ${meant}`);
  const distanceToMeant = (word: string) => computeDistance(meant, word);
  return others.reduce((best, word) => (distanceToMeant(word) < distanceToMeant(best) ? word : best), first);
}

/** The edit distance (Levenshtein). */
function computeDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, its] of [...other].entries()) {
      const kept = (row[j] ?? 0) + (letter === its ? 0 : 1);
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
