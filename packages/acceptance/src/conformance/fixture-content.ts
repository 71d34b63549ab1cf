import { modernSchema } from './modern-schema.js';

/** The content that the official suite requires, independent of the revision that serves it. */
export type Arguments = Readonly<Record<string, unknown>>;

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
const audio = { type: 'audio' as const, data: SILENCE, mimeType: 'audio/wav' };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

type Content = ReturnType<typeof text> | typeof image | typeof audio | ReturnType<typeof resource>;

interface FixtureResult {
  content: Content[];
  isError?: boolean;
}

/** The tools that always return the same, by name. */
export const constantTools: Readonly<Record<string, FixtureResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [audio] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  },
  json_schema_2020_12_tool: { content: [text('ok')] },
};

export const describeFixtureTool = (name: string) => ({
  name,
  description: `Fixture ${name} of the conformance suite`,
  inputSchema: name === 'json_schema_2020_12_tool' ? modernSchema : { type: 'object' as const },
});

const prompts: Readonly<Record<string, (given: Arguments) => Content[]>> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    resource(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

export const listFixturePrompts = () =>
  Object.keys(prompts).map((name) => ({
    name,
    description: `Fixture ${name} of the conformance suite`,
    arguments: (argumentsOf[name] ?? []).map((argument) => ({ name: argument, required: true })),
  }));

/** Null for an unknown prompt. */
export function renderFixturePrompt(name: string, given: Arguments) {
  const render = prompts[name];
  if (!render) return null;
  return { messages: render(given).map((content) => ({ role: 'user' as const, content })) };
}

const resources: Readonly<Record<string, { mimeType: string } & ({ text: string } | { blob: string })>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content.' },
};

export const listFixtureResources = () =>
  Object.keys(resources).map((uri) => ({ uri, name: uri, description: `The fixture resource ${uri}` }));

export const fixtureTemplates = [{ uriTemplate: 'test://template/{id}/data', name: 'template' }];

/** Null for an unknown resource. */
export function readFixtureResource(uri: string) {
  const found = resources[uri] ?? fromTemplate(uri);
  return found && { contents: [{ uri, ...found }] };
}

function fromTemplate(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return null;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: 'application/json', text: JSON.stringify(data) };
}

export const completeFixture = (typed: string) => ({
  completion: { values: ['paris', 'park'].filter((value) => value.startsWith(typed)) },
});
