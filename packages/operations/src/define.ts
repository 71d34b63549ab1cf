import type {
  AtomicPorts,
  Call,
  FailureCode,
  Ports,
  Progress,
  ReadPorts,
  Result,
  Scope,
  StoreMediaFailureCode,
} from '@switchboard/domain';
import type { z } from 'zod';
import type { Camel } from './camel.js';

/**
 * What a use case is given. `read`: storage as it is, no transaction. `atomic`: the transaction that dispatch opened, in
 * which answer and audit row are stored too; no network is within reach. `staged`: everything, a transaction for each step.
 */
export interface PortsOf {
  read: ReadPorts;
  atomic: AtomicPorts;
  staged: Ports;
}

export type Boundary = keyof PortsOf;
export type Surface = 'rest' | 'mcp';
export type Toolset = 'social' | 'commerce' | 'connections' | 'admin' | 'every';
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What every call may be refused with before its use case is reached; not declared by operations. */
export type CommonCode =
  | 'request.invalid'
  | 'request.malformed_json'
  | 'request.too_large'
  | 'request.unsupported_media_type'
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

export interface Route {
  readonly method: Method;
  readonly path: string;
}

/** Waiting until something has settled: `Prefer: wait` on REST, `wait_seconds` on MCP. Its changes are announced under its id. */
export interface SettlingPolicy<Value> {
  readonly isSettled: (value: Value, now: Date) => boolean;
  readonly readAgain: (ports: ReadPorts, call: Call, value: Value) => Promise<Result<Value>>;
  /** How far it has come, told to a caller who wants to hear of it. */
  readonly progress: (value: Value) => Progress;
  /** How long MCP waits when the agent says nothing. */
  readonly mcpWaitSeconds: number;
}

/** An operation as dispatch and the binders see it, once `defineOperation` has checked it. */
export interface Operation {
  readonly name: string;
  /** The MCP tool, null when it is on REST only. */
  readonly tool: string | null;
  readonly summary: string;
  readonly guidance: string;
  readonly scope: Scope | 'any';
  readonly effect: 'read' | 'create' | 'update' | 'delete' | 'irreversible';
  readonly boundary: Boundary;
  readonly surfaces: readonly Surface[];
  readonly toolset: Toolset;
  readonly http: Route & { readonly status: 200 | 201 | 204; readonly aliases?: readonly Route[] };
  /** `stream`: a file may come with the request, as multipart/form-data, and is received before the input is parsed. */
  readonly body: 'json' | 'stream';
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly failures: readonly FailureCode[];
  readonly example: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly output: Readonly<Record<string, unknown>>;
  };
  /** The tool's input where it is narrower than REST's. */
  readonly mcpInput: z.ZodObject;
  /** A call of the tool that shows what its schema does not. */
  readonly toolExample: Readonly<Record<string, unknown>> | null;
  /** What of an answer a tool gives that was not asked for `detail`; null where it gives all. */
  readonly compact: ((answer: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) | null;
  /** Which texts of an answer strangers wrote, as it is told to agents; null where none did. */
  readonly untrustedFields: string | null;
  /** One plain sentence that opens the tool's text, made from the answer. */
  readonly sentence: (answer: Readonly<Record<string, unknown>>) => string;
  readonly settling: SettlingPolicy<unknown> | null;
  /** How long the use case itself waits for an outcome when the caller says nothing, in seconds. */
  readonly waitSeconds: number;
  readonly idempotent: boolean;
  /** Fields that the first answer shows and no replay does. */
  readonly oneTimeFields: readonly string[];
  readonly etag: ((value: unknown) => string | null) | null;
  readonly object: ((value: unknown) => string | null) | null;
  /** Whether the use case found what an earlier request had made, without an idempotency record of it. */
  readonly replayed: ((value: unknown) => boolean) | null;
  /** Its use case writes the audit row itself, into the transaction of the change. */
  readonly writesOwnAuditRow: boolean;
  readonly useCase: (ports: never, call: Call, command: never) => Promise<Result<unknown>>;
  readonly present: (value: never, context: PresentationContext) => Readonly<Record<string, unknown>>;
}

/** What a presenter may ask besides the value. */
export interface PresentationContext {
  readonly call: Call;
  readonly now: Date;
  readonly ports: Pick<ReadPorts, 'manifests' | 'settings'>;
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
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- only `any` matches every parameter list in an inference position
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
    : { 'the command wants fields that the input lacks': Exclude<keyof Command, Fields<In>> }
  : { 'the use case ignores input fields': Exclude<Fields<In>, keyof Command> };

/** What the reception of a streamed file may be refused with, before the use case is reached. */
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
  : { 'path parameters that are no input': Exclude<PathParameters<Path>, keyof z.output<In>> };

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
  /** The tool's name where it is not the snake_case form of `name`. */
  readonly tool?: string;
  readonly summary: string;
  /** For agents, and the OpenAPI description: when to use it, what to know before, what comes next. */
  readonly guidance: string;
  readonly scope: Scope | 'any';
  readonly effect: EffectOf<Verb>;
  readonly boundary: B;
  readonly surfaces: readonly Surface[];
  readonly toolset: Toolset;
  readonly http: {
    readonly method: Verb;
    /** Below `/v1`. */
    readonly path: Path & PathFits<Path, In>;
    readonly status: 200 | 201 | 204;
    readonly aliases?: readonly Route[];
  };
  readonly body?: Body;
  readonly input: In;
  readonly output: Out;
  readonly failures: readonly Declared[] & FailuresFit<Declared, CodesOf<U>, Body>;
  readonly example: { readonly input: z.input<In>; readonly output: z.input<Out> };
  readonly mcp?: {
    readonly input?: z.ZodObject;
    /** A call that shows how fields go together, where their schema does not. An agent reads it every time. */
    readonly example?: Partial<z.input<In>>;
    /** What of an answer the tool gives unless it is asked for `detail`. */
    readonly compact?: (answer: z.output<Out>) => Readonly<Record<string, unknown>>;
    /** Which texts of the answer strangers wrote: said in the tool's description and beside every answer. */
    readonly untrustedFields?: string;
  };
  readonly sentence: (answer: z.output<Out>) => string;
  readonly settling?: ValueOf<U> extends { readonly id: string } ? SettlingPolicy<ValueOf<U>> : never;
  readonly waitSeconds?: number;
  /** Fields that the first answer shows and no replay does: it has null, and `secret_available: false`. */
  readonly oneTimeFields?: readonly (keyof z.output<Out> & string)[];
  /** The entity tag of what was answered. */
  readonly etag?: (value: ValueOf<U>) => string | null;
  /** The id that the audit row names, where the answer's own `id` is not it. */
  readonly object?: (value: ValueOf<U>) => string | null;
  /** Whether the use case found what an earlier request had made, as by a quote: marked like any replay. */
  readonly replayed?: (value: ValueOf<U>) => boolean;
  /** The use case writes the audit row itself, into the transaction of the change. */
  readonly writesOwnAuditRow?: boolean;
  readonly useCase: U & CommandFits<In, CommandOf<U>>;
  readonly present: (value: ValueOf<U>, context: PresentationContext) => z.input<Out>;
}

/**
 * An operation: a constant without logic, from which routes, tools, OpenAPI, scopes and documentation are derived.
 * It does not compile when the use case may fail in an undeclared way or cannot fail in a declared one, ignores an input field
 * (even an optional one) or wants another, when a path parameter is no input, when the scope is unknown, when a GET has an
 * effect other than `read`, or when an `atomic` use case wants the network.
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
  const { mcp, etag, object, replayed, settling, tool, ...rest } = definition;
  return {
    ...(rest as unknown as Operation),
    tool: definition.surfaces.includes('mcp') ? (tool ?? toSnakeCase(definition.name)) : null,
    body: definition.body ?? 'json',
    mcpInput: mcp?.input ?? definition.input,
    toolExample: mcp?.example ?? null,
    compact: (mcp?.compact as Operation['compact'] | undefined) ?? null,
    untrustedFields: mcp?.untrustedFields ?? null,
    settling: (settling as SettlingPolicy<unknown> | undefined) ?? null,
    waitSeconds: definition.waitSeconds ?? 0,
    oneTimeFields: definition.oneTimeFields ?? [],
    writesOwnAuditRow: definition.writesOwnAuditRow ?? false,
    idempotent: definition.http.method === 'post' && definition.effect !== 'read',
    etag: (etag as Operation['etag']) ?? null,
    replayed: (replayed as Operation['replayed']) ?? null,
    object: (object as Operation['object']) ?? null,
  };
}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether a caller may say how long it waits for the outcome. */
export const canWait = ({ settling, waitSeconds }: Operation): boolean =>
  settling !== null || waitSeconds > 0;
