import { ok, refuse, type Problem, type Result } from '@switchboard/domain';
import type { Operation } from '@switchboard/operations';
import { z } from 'zod';

/** A tool's arguments, taken apart: the operation's input, and what a header carries on REST. */
export interface ToolArguments {
  readonly input: Result<unknown, 'request.invalid'>;
  readonly idempotencyKey: string | undefined;
  readonly waitSeconds: number | undefined;
  /** Whether all of an answer is wanted, where a tool gives less of it by itself. */
  readonly detail: boolean;
}

const MAX_WAIT_SECONDS = 30;

/** What MCP adds to an operation's fields, because there are no headers. */
export function mcpFieldsOf(operation: Operation): z.ZodRawShape {
  return {
    ...(operation.idempotent && {
      idempotency_key: z.string().min(1).max(255).optional().describe('Same key again: done once.'),
    }),
    ...(operation.compact && {
      detail: z.boolean().default(false).describe('Whole, not in brief.'),
    }),
    ...(operation.settling && {
      wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(operation.settling.mcpWaitSeconds),
    }),
  };
}

export function readArguments(
  operation: Operation,
  rawArguments: Readonly<Record<string, unknown>>,
): ToolArguments {
  const shape = mcpFieldsOf(operation);
  const parsed = z.object(shape).safeParse(rawArguments);
  const rest = Object.fromEntries(
    Object.entries(rawArguments).filter(([name]) => !Object.hasOwn(shape, name)),
  );
  if (!parsed.success) {
    return {
      input: invalid(parsed.error),
      idempotencyKey: undefined,
      waitSeconds: undefined,
      detail: false,
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
  return { input: ok(rest), idempotencyKey, waitSeconds, detail };
}

function invalid(error: z.ZodError): Result<never, 'request.invalid'> {
  const problems = error.issues.map(({ path, code, message }): Problem => ({
    path: path.map(String).join('.'),
    code: `field.${code}`,
    message: message.replace(/^Invalid input: /, ''),
  }));
  const messages = problems.map(({ path, message }) => `${path}: ${message}`).join('. ');
  return refuse('request.invalid', `${messages}.`, { problems });
}
