import { sanitizeText } from '../tools/sanitize-text.js';
import { prompts, type PromptArguments, type Prompt, type PromptArgument } from './prompts.js';
import { ProtocolError } from '../protocol/protocol-error.js';

type ToolNames = readonly { readonly name: string }[];

interface ListedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Pick<PromptArgument, 'name' | 'description' | 'required'>[];
}

/** The prompts that can be completed with these tools. */
export const promptsFor = (tools: ToolNames): readonly ListedPrompt[] =>
  prompts
    .filter(({ needs }) => needs.every(isNamedIn(tools)))
    .map(({ name, title, description, arguments: all }) => ({
      name,
      title,
      description,
      arguments: all.map(({ name, description, required }) => ({ name, description, required })),
    }));

/** A rendered prompt: one message, as if the person had written it. */
export function renderPrompt(tools: ToolNames, name: string, promptArguments: PromptArguments) {
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw invalidParams('Unknown prompt. Call prompts/list for the available prompts.');
  const missing = prompt.needs.filter((tool) => !isNamedIn(tools)(tool));
  if (missing.length > 0) {
    throw invalidParams(
      `This prompt needs ${missing.join(', ')}, which this key may not call or which is not enabled.`,
    );
  }
  const nonEmptyArguments = readPromptArguments(prompt, promptArguments);
  const { task, steps } = prompt.render(nonEmptyArguments, isNamedIn(tools));
  const text = [
    task,
    ...quoteArguments(nonEmptyArguments),
    'Follow these steps, in this order:',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
  ].join('\n');
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

const isNamedIn = (tools: ToolNames) => (tool: string) => tools.some(({ name }) => name === tool);

const invalidParams = (reason: string) => new ProtocolError('invalid_params', reason);

const MAX_CHARACTERS = 4000;

/** The non-empty arguments; a form also sends the fields that were left empty. */
function readPromptArguments(prompt: Prompt, promptArguments: PromptArguments): PromptArguments {
  const names = prompt.arguments.map(({ name }) => name);
  if (Object.keys(promptArguments).some((name) => !names.includes(name))) {
    throw invalidParams(`${prompt.name} accepts only ${names.join(', ')}.`);
  }
  const nonEmptyArguments: PromptArguments = Object.fromEntries(
    Object.entries(promptArguments)
      .map(([name, value]) => [name, sanitizeText(value).trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  const problem = prompt.arguments.map((argument) =>
    findArgumentProblem(argument, nonEmptyArguments[argument.name]),
  );
  const reason = [...problem, prompt.validateTogether?.(nonEmptyArguments)].find(
    (each) => typeof each === 'string',
  );
  if (reason !== undefined && reason !== null) throw invalidParams(reason);
  return nonEmptyArguments;
}

function findArgumentProblem({ name, required, validate }: PromptArgument, value?: string): string | null {
  if (value === undefined) return required ? `${name} is missing.` : null;
  if (value.length > MAX_CHARACTERS) return `${name} may have at most ${MAX_CHARACTERS} characters.`;
  const problem = validate?.(value);
  return problem ? `${name} ${problem}.` : null;
}

/** Each on a line of its own and in quotation marks, so that no content looks like a step. */
const quoteArguments = (nonEmptyArguments: PromptArguments): readonly string[] =>
  Object.entries(nonEmptyArguments).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
