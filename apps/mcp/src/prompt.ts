import { cleanText } from './clean-text.js';
import { prompts, type Given, type Prompt, type PromptArgument } from './prompts.js';
import { ProtocolError } from './protocol-error.js';

type Tools = readonly { readonly name: string }[];

/** A prompt as `prompts/list` shows it. */
export interface ListedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Pick<PromptArgument, 'name' | 'description' | 'required'>[];
}

/** What a prompt comes to: one message, as if the person had written it. */
export interface PromptResult {
  readonly description: string;
  readonly messages: readonly {
    readonly role: 'user';
    readonly content: { readonly type: 'text'; readonly text: string };
  }[];
}

/** The prompts that can be followed to their end with these tools. */
export const promptsFor = (tools: Tools): readonly ListedPrompt[] =>
  prompts
    .filter(({ needs }) => needs.every(isAmong(tools)))
    .map(({ name, title, description, arguments: all }) => ({
      name,
      title,
      description,
      arguments: all.map(({ name, description, required }) => ({ name, description, required })),
    }));

export function writePrompt(tools: Tools, name: string, given: Given): PromptResult {
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw refused('There is no such prompt. prompts/list names those there are.');
  const missing = prompt.needs.filter((tool) => !isAmong(tools)(tool));
  if (missing.length > 0) {
    throw refused(
      `This needs ${missing.join(', ')}, which this key may not call or which is not chosen here.`,
    );
  }
  const filled = read(prompt, given);
  const { task, steps } = prompt.write(filled, isAmong(tools));
  const text = [
    task,
    ...said(filled),
    'Follow these steps, in this order:',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
  ].join('\n');
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

const isAmong = (tools: Tools) => (tool: string) => tools.some(({ name }) => name === tool);

const refused = (why: string) => new ProtocolError('invalid_params', why);

const MAX_CHARACTERS = 4000;

/** The arguments that hold something; a form sends what was left empty as well. */
function read(prompt: Prompt, given: Given): Given {
  const names = prompt.arguments.map(({ name }) => name);
  if (Object.keys(given).some((name) => !names.includes(name))) {
    throw refused(`${prompt.name} takes ${names.join(', ')} and nothing else.`);
  }
  const filled: Given = Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, cleanText(value).trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  const wrong = prompt.arguments.map((argument) => whatIsWrong(argument, filled[argument.name]));
  const why = [...wrong, prompt.whatIsMissing?.(filled)].find((each) => typeof each === 'string');
  if (why !== undefined && why !== null) throw refused(why);
  return filled;
}

function whatIsWrong({ name, required, whatIsWrong: judge }: PromptArgument, value?: string): string | null {
  if (value === undefined) return required ? `${name} is missing.` : null;
  if (value.length > MAX_CHARACTERS) return `${name} may have ${MAX_CHARACTERS} characters.`;
  const wrong = judge?.(value);
  return wrong ? `${name} ${wrong}.` : null;
}

/** Each on a line of its own and in quotation marks, so that nothing within looks like a step. */
const said = (filled: Given): readonly string[] =>
  Object.entries(filled).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
