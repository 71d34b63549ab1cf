import { ok, refuse, type Result } from '@switchboard/domain';
import { describeIssue, problemsOf, type Operation, type ToolImage } from '@switchboard/operations';
import { z } from 'zod';
import { normalizeArguments } from './normalize-arguments.js';

/** The arguments of a tool, split into the input of the operation and the values that are headers on REST. */
interface ToolArguments {
  readonly input: Result<unknown, 'request.invalid'>;
  readonly idempotencyKey: string | undefined;
  readonly waitSeconds: number | undefined;
  /** Whether the caller set it; otherwise it is the default of the tool. */
  readonly requestsWait: boolean;
  /** Whether the full response is requested from a tool that returns a compact one by default. */
  readonly detail: boolean;
  /** The kind of image that is added to the result. */
  readonly image: string | undefined;
}

const MAX_WAIT_SECONDS = 30;

/** The fields that MCP adds to those of an operation, because it has no headers. */
export function mcpFieldsOf(operation: Operation): z.ZodRawShape {
  return {
    ...(operation.idempotent && {
      idempotency_key: z.string().min(1).max(255).optional().describe('Same key: runs once.'),
    }),
    ...(operation.compact && {
      detail: z.boolean().default(false).describe('Return all fields.'),
    }),
    ...(operation.image && { [operation.image.argument]: imageTypeOf(operation.image) }),
    ...(operation.settling && {
      wait_seconds: z
        .int()
        .min(0)
        .max(MAX_WAIT_SECONDS)
        .default(operation.settling.mcpWaitSeconds)
        .describe('Wait for the outcome.'),
    }),
  };
}

const imageTypeOf = ({ of, description }: ToolImage): z.ZodType =>
  (of.input.shape['type'] as z.ZodDefault<z.ZodEnum>).unwrap().optional().describe(description);

interface ArgumentSchemas {
  readonly all: z.ZodObject;
  readonly mcpFields: z.ZodObject;
}

const schemasByOperation = new WeakMap<Operation, ArgumentSchemas>();

/** Created once for each tool: creating and compiling them takes ten times as long as parsing. */
function schemasOf(operation: Operation): ArgumentSchemas {
  const known = schemasByOperation.get(operation);
  if (known) return known;
  const shape = mcpFieldsOf(operation);
  const schemas = {
    all: z.object({ ...operation.mcpInput.shape, ...shape }),
    mcpFields: z.object(shape),
  };
  schemasByOperation.set(operation, schemas);
  return schemas;
}

export function readArguments(
  operation: Operation,
  rawArguments: Readonly<Record<string, unknown>>,
): ToolArguments {
  const { all, mcpFields } = schemasOf(operation);
  const { shape } = mcpFields;
  const given = normalizeArguments(all, rawArguments);
  const parsed = mcpFields.safeParse(given, { reportInput: true, error: describeIssue });
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(shape, name)));
  if (!parsed.success) {
    return {
      input: invalid(parsed.error),
      idempotencyKey: undefined,
      waitSeconds: undefined,
      requestsWait: false,
      detail: false,
      image: undefined,
    };
  }
  const {
    idempotency_key: idempotencyKey,
    wait_seconds: waitSeconds,
    detail = false,
  } = parsed.data as {
    idempotency_key?: string;
    wait_seconds?: number;
    detail?: boolean;
  };
  const image = operation.image && parsed.data[operation.image.argument];
  return {
    input: ok(rest),
    idempotencyKey,
    waitSeconds,
    requestsWait: Object.hasOwn(given, 'wait_seconds'),
    detail,
    image: typeof image === 'string' ? image : undefined,
  };
}

function invalid(error: z.ZodError): Result<never, 'request.invalid'> {
  const problems = error.issues.flatMap((issue) => problemsOf(issue));
  const messages = problems.map(({ path, message }) => `${path}: ${message}`).join('. ');
  return refuse('request.invalid', `${messages}.`, { problems });
}
