import {
  toSnakeName,
  type Call,
  type Failure,
  type FailureCode,
  type Progress,
  type Result,
} from '@switchboard/domain';
import type { ApiKey, Scope } from '@switchboard/domain/access';
import type { StoreMediaFailureCode } from '@switchboard/domain/media';
import type { AtomicPorts, Ports, ReadPorts } from '@switchboard/domain/ports';
import type { z } from 'zod';
import type { Camel } from './pipeline/camel.js';
import type { OperationResponse } from './pipeline/operation-response.js';
import { restartCursor } from './pipeline/restart-cursor.js';

/**
 * The ports that a use case receives. `read`: plain storage, no transaction. `atomic`: the transaction that
 * dispatch opened, which also stores the response and the audit row; no network access. `staged`: every port,
 * with a transaction for each step.
 */
interface PortsOf {
  read: ReadPorts;
  atomic: AtomicPorts;
  staged: Ports;
}

type Boundary = keyof PortsOf;
export type Toolset = 'social' | 'commerce' | 'connections' | 'admin' | 'every';
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The failures with which every call may be rejected before its use case runs; operations do not declare
 * them.
 */
type CommonCode =
  | 'request.invalid'
  | 'request.malformed_json'
  | 'request.too_large'
  | 'request.unsupported_media_type'
  | 'request.not_acceptable'
  | 'auth.invalid_key'
  | 'key.scope_missing'
  | 'key.policy_unsupported'
  | 'rate_limit.exceeded'
  | 'idempotency.key_reused'
  | 'idempotency.in_progress'
  | 'internal.error'
  | 'service.unavailable'
  | 'vault.unavailable'
  | 'vault.unreadable';

interface Route {
  readonly method: Method;
  readonly path: string;
}

/** A second route of an operation, with an operation id of its own. */
interface Alias extends Route {
  readonly name: string;
}

/** The wait whose end is checked. */
export interface WaitContext<Value> {
  /** The value when the wait began. */
  readonly initial: Value;
  /** Whether the caller itself set the wait; otherwise it is the default of the operation. */
  readonly isRequested: boolean;
}

/**
 * Waiting until an operation has settled: `Prefer: wait` on REST, `wait_seconds` on MCP. Changes are
 * announced under the id.
 */
export interface SettlingPolicy<Value> {
  readonly isSettled: (value: Value, now: Date, wait: WaitContext<Value>) => boolean;
  readonly readAgain: (ports: ReadPorts, call: Call, value: Value) => Promise<Result<Value>>;
  /** The progress that is reported to a caller who subscribed to it. */
  readonly progress: (value: Value) => Progress;
  /** How long MCP waits when the agent sets no wait. */
  readonly mcpWaitSeconds: number;
}

/** How a person confirms a call before it takes effect, on clients that can ask one. */
export interface Confirmation {
  /** The failure of a call that is not confirmed yet; its details say what would happen. */
  readonly code: FailureCode;
  /** Our own text; of third parties, it contains names only. */
  readonly question: (details: Failure['details']) => Question;
  /** The message for the agent when the person declined, or could not be asked. */
  readonly refusal: (decision: 'declined' | 'cancelled', details: Failure['details']) => string;
}

/** An image beside the response of a tool, drawn by an operation with the same input. */
export interface ToolImage {
  /** The argument of the tool that requests it, whose value is the `type` of the operation. */
  readonly argument: string;
  readonly description: string;
  readonly of: Operation;
}

/** What a sentence names and its response does not contain. */
export interface SentenceNames {
  /** The display name of a platform, or its id where none is installed. */
  readonly platformName: (id: string) => string;
}

export interface Question {
  readonly message: string;
  /** The label of the checkbox that has to be checked. */
  readonly label: string;
}

/** An operation as dispatch and the binders see it, after `defineOperation` has checked it. */
export interface Operation {
  readonly name: string;
  /** The name of the MCP tool; null without one. */
  readonly tool: string | null;
  readonly summary: string;
  readonly guidance: string;
  readonly scope: Scope | 'any';
  readonly effect: 'read' | 'create' | 'update' | 'delete' | 'irreversible';
  readonly boundary: Boundary;
  /** It reaches no platform, although its boundary would allow it. */
  readonly staysLocal: boolean;
  /** The toolset of its MCP tool, or null when the operation is served on REST only. */
  readonly toolset: Toolset | null;
  readonly http: Route & { readonly status: 200 | 201 | 204; readonly aliases?: readonly Alias[] };
  /**
   * `stream`: the request may carry a file as multipart/form-data, which is received before the input is
   * parsed.
   */
  readonly body: 'json' | 'stream';
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly failures: readonly FailureCode[];
  readonly example: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: Readonly<Record<string, unknown>>;
  };
  /** The input of the tool, where it is narrower than that of REST. */
  readonly mcpInput: z.ZodObject;
  /** An example call of the tool that shows what its schema does not. */
  readonly toolExample: Readonly<Record<string, unknown>> | null;
  /** The part of a response that the tool returns without `detail`; null where it returns everything. */
  readonly compact: ((answer: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) | null;
  /** The texts of a response that third parties wrote, as reported to agents; null when there are none. */
  readonly untrustedFields: string | null;
  /** The response as CSV, for `Accept: text/csv` on REST; null where there is only JSON. */
  readonly csv: ((answer: Readonly<Record<string, unknown>>) => string) | null;
  /** The response as SVG, which is then the only one on REST. */
  readonly svg: ((answer: Readonly<Record<string, unknown>>) => string) | null;
  /** The image that the tool adds on request; null where it has none. */
  readonly image: ToolImage | null;
  /** One plain sentence, built from the response, that opens the text of the tool. */
  readonly sentence: (answer: Readonly<Record<string, unknown>>, names: SentenceNames) => string;
  readonly settling: SettlingPolicy<unknown> | null;
  /** How long the use case itself waits for an outcome by default, in seconds. */
  readonly waitSeconds: number;
  /**
   * How a replay waits when its caller sets a wait, where the use case itself waits: until then, and with the
   * current value.
   */
  readonly replaySettling: SettlingPolicy<unknown> | null;
  readonly idempotent: boolean;
  /** Fields that only the first response contains and no replay does. */
  readonly oneTimeFields: readonly string[];
  readonly etag: ((value: unknown) => string | null) | null;
  readonly object: ((value: unknown) => string | null) | null;
  /** Whether the use case found the result of an earlier request without an idempotency record of it. */
  readonly replayed: ((value: unknown) => boolean) | null;
  /** The use case writes the audit row itself, in the transaction of the change. */
  readonly writesOwnAuditRow: boolean;
  readonly confirm: Confirmation | null;
  /** Reads from the network what an `atomic` use case needs, before its transaction; returns the call with it. */
  readonly prepareCall: ((ports: Ports, call: Call, command: never) => Promise<Call>) | null;
  /** Changes a failure of the use case before it is returned, by the input that it was called with. */
  readonly onRefusal: ((failure: Failure, input: Readonly<Record<string, unknown>>) => Failure) | null;
  /** Masks what this key must not read, in every response: failures and replays included. */
  readonly redact: ((response: OperationResponse, key: ApiKey) => OperationResponse) | null;
  readonly useCase: (ports: never, call: Call, command: never) => Promise<Result<unknown>>;
  readonly present: (value: never, context: PresentationContext) => Readonly<Record<string, unknown>>;
}

/** What a presenter may query besides the value. */
export interface PresentationContext {
  readonly call: Call;
  readonly now: Date;
  readonly ports: Pick<ReadPorts, 'approvalLinks' | 'clock' | 'manifests' | 'settings'>;
}

type UseCase<B extends Boundary> = (
  ports: PortsOf[B],
  call: Call,
  command: never,
) => Promise<Result<unknown>>;

type ValueOf<U> = U extends (...args: never[]) => Promise<infer R>
  ? R extends { ok: true; value: infer V }
    ? V
    : never
  : never;
type CodesOf<U> = U extends (...args: never[]) => Promise<infer R>
  ? R extends { ok: false; failure: { code: infer C } }
    ? C
    : never
  : never;
// oxlint-disable-next-line typescript/no-explicit-any -- only `any` matches every parameter list in an inference position
type CommandOf<U> = U extends (ports: any, call: any, ...rest: infer Rest) => unknown
  ? Rest extends readonly [infer Command, ...unknown[]]
    ? Command
    : Record<never, never>
  : never;

type Fields<In extends z.ZodObject> = keyof Camel<In['shape']>;

type CommandFits<In extends z.ZodObject, Command> = [Exclude<Fields<In>, keyof Command>] extends [never]
  ? [Exclude<keyof Command, Fields<In>>] extends [never]
    ? Camel<z.output<In>> extends Command
      ? unknown
      : { 'the input does not fit the command': Command }
    : { 'the command requires fields that the input lacks': Exclude<keyof Command, Fields<In>> }
  : { 'the use case ignores input fields': Exclude<Fields<In>, keyof Command> };

/** The failures with which receiving a streamed file may be rejected before the use case runs. */
type StreamCode = StoreMediaFailureCode | 'request.unsupported_media_type';

type FailuresFit<Declared extends FailureCode, Codes, Body extends Operation['body']> = [
  Exclude<Codes, Declared | CommonCode>,
] extends [never]
  ? [Exclude<Declared, Codes | ('stream' extends Body ? StreamCode : never)>] extends [never]
    ? unknown
    : { 'failures that the use case cannot return': Exclude<Declared, Codes> }
  : { 'failures that are not declared': Exclude<Codes, Declared | CommonCode> };

/** GET is safe (RFC 9110, section 9.2.1): it changes nothing. */
type EffectOf<Verb extends Method> = Verb extends 'get' ? 'read' : Operation['effect'];

type PathParameters<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type PathFits<Path, In extends z.ZodObject> = [Exclude<PathParameters<Path>, keyof z.output<In>>] extends [
  never,
]
  ? unknown
  : { 'path parameters that are not in the input': Exclude<PathParameters<Path>, keyof z.output<In>> };

interface OperationDefinition<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  B extends Boundary,
  Declared extends FailureCode,
  Path extends string,
  Verb extends Method,
  Body extends Operation['body'],
  U extends UseCase<B>,
> {
  readonly name: string;
  /** The name of the tool, where it is not the snake_case form of `name`. */
  readonly tool?: string;
  readonly summary: string;
  /** For agents and the OpenAPI description: when to use it, prerequisites, and the next step. */
  readonly guidance: string;
  readonly scope: Scope | 'any';
  readonly effect: EffectOf<Verb>;
  readonly boundary: B;
  /** For a `staged` operation that reaches no platform. */
  readonly staysLocal?: boolean;
  /** Omitted where the operation is served on REST only. */
  readonly toolset?: Toolset;
  readonly http: {
    readonly method: Verb;
    /** Relative to `/v1`. */
    readonly path: Path & PathFits<Path, In>;
    readonly status: 200 | 201 | 204;
    readonly aliases?: readonly Alias[];
  };
  readonly body?: Body;
  readonly input: In;
  readonly output: Out;
  readonly failures: readonly Declared[] & FailuresFit<Declared, CodesOf<U>, Body>;
  readonly example: { readonly input: z.input<In>; readonly output: z.input<Out> };
  readonly mcp?: {
    readonly input?: z.ZodObject;
    /** A call that shows how fields combine, where their schema does not. An agent reads it every time. */
    readonly example?: Partial<z.input<In>>;
    /** The part of the response that the tool returns unless `detail` is requested. */
    readonly compact?: (answer: z.output<Out>) => Readonly<Record<string, unknown>>;
    /**
     * The texts of the response that third parties wrote; named in the description of the tool and beside
     * every response.
     */
    readonly untrustedFields?: string;
    readonly image?: ToolImage;
  };
  readonly csv?: (answer: z.output<Out>) => string;
  readonly svg?: (answer: z.output<Out>) => string;
  readonly sentence: (answer: z.output<Out>, names: SentenceNames) => string;
  readonly settling?: ValueOf<U> extends { readonly id: string } ? SettlingPolicy<ValueOf<U>> : never;
  readonly waitSeconds?: number;
  readonly replaySettling?: ValueOf<U> extends { readonly id: string } ? SettlingPolicy<ValueOf<U>> : never;
  /** Fields that only the first response contains: a replay has null, and `secret_available: false`. */
  readonly oneTimeFields?: readonly (keyof z.output<Out> & string)[];
  /** The entity tag of the returned resource. */
  readonly etag?: (value: ValueOf<U>) => string | null;
  /** The id for the audit row, when it is not the `id` of the response. */
  readonly object?: (value: ValueOf<U>) => string | null;
  /**
   * Whether the use case found the result of an earlier request, for example by quote: marked like any
   * replay.
   */
  readonly replayed?: (value: ValueOf<U>) => boolean;
  /** The use case writes the audit row itself, in the transaction of the change. */
  readonly writesOwnAuditRow?: boolean;
  readonly confirm?: Confirmation & { readonly code: Declared };
  readonly redact?: NonNullable<Operation['redact']>;
  readonly prepareCall?: 'atomic' extends B
    ? (ports: Ports, call: Call, command: CommandOf<U>) => Promise<Call>
    : never;
  readonly useCase: U & CommandFits<In, CommandOf<U>>;
  readonly present: (value: ValueOf<U>, context: PresentationContext) => z.input<Out>;
}

/**
 * An operation: a constant without logic, from which routes, tools, OpenAPI, scopes and documentation are
 * derived. It does not compile when the use case can fail in an undeclared way or cannot fail in a declared
 * one, ignores an input field (even an optional one) or requires another, when a path parameter is not in the
 * input, when the scope is unknown, when a GET has an effect other than `read`, or when an `atomic` use case
 * needs the network.
 */
export function defineOperation<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  const B extends Boundary,
  const Declared extends FailureCode,
  const Path extends string,
  const Verb extends Method,
  U extends UseCase<B>,
  const Body extends Operation['body'] = 'json',
>(definition: OperationDefinition<In, Out, B, Declared, Path, Verb, Body, U>): Operation {
  const {
    mcp,
    etag,
    object,
    replayed,
    settling,
    replaySettling,
    tool = toSnakeName(definition.name),
    toolset = null,
    ...rest
  } = definition;
  return {
    ...(rest as unknown as Operation),
    toolset,
    tool: toolset && tool,
    body: definition.body ?? 'json',
    staysLocal: definition.staysLocal ?? false,
    mcpInput: mcp?.input ?? definition.input,
    toolExample: mcp?.example ?? null,
    csv: (definition.csv as Operation['csv'] | undefined) ?? null,
    svg: (definition.svg as Operation['svg'] | undefined) ?? null,
    image: mcp?.image ?? null,
    compact: (mcp?.compact as Operation['compact'] | undefined) ?? null,
    untrustedFields: mcp?.untrustedFields ?? null,
    settling: (settling as SettlingPolicy<unknown> | undefined) ?? null,
    waitSeconds: definition.waitSeconds ?? 0,
    replaySettling: (replaySettling as SettlingPolicy<unknown> | undefined) ?? null,
    oneTimeFields: definition.oneTimeFields ?? [],
    writesOwnAuditRow: definition.writesOwnAuditRow ?? false,
    confirm: definition.confirm ?? null,
    onRefusal: 'cursor' in definition.input.shape ? restartCursor(definition.name) : null,
    redact: definition.redact ?? null,
    prepareCall: (definition.prepareCall as Operation['prepareCall'] | undefined) ?? null,
    idempotent: definition.http.method === 'post' && definition.effect !== 'read',
    etag: (etag as Operation['etag']) ?? null,
    replayed: (replayed as Operation['replayed']) ?? null,
    object: (object as Operation['object']) ?? null,
  };
}

/** Whether a caller may set how long it waits for the outcome. */
export const canWait = ({ settling, waitSeconds }: Operation): boolean =>
  settling !== null || waitSeconds > 0;
