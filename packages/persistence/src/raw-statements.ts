import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { DatabaseClient } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { endsTransaction, textOf } from './observed-client.js';

type SendStatement = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult>;
type RawMethods = Pick<DatabaseClient, '$queryRaw' | '$executeRaw' | '$queryRawUnsafe' | '$executeRawUnsafe'>;
type NameStatement = (statement: { readonly sql: string }) => string;

/**
 * The client with raw statements that skip Prisma's query interpreter, which costs the process three times as
 * much as the driver (docs/decisions/016-where-the-time-goes.md): outside transactions on the pool, and in a
 * transaction on the transaction's own connection. They return the same types; an error is the driver's, with its
 * SQLSTATE in `code`. Unlike Prisma's, a statement is sent when it is called, not when it is awaited.
 *
 * The client opens with the first use of a model or a transaction: its engine takes 0.1 s of processor time to
 * load, and many processes, such as most commands, send raw statements only.
 */
export function withRawStatements(
  openClient: () => PrismaClient,
  pool: pg.Pool,
  nameStatement: NameStatement,
): PrismaClient {
  let opened: PrismaClient | null = null;
  const prisma = () => (opened ??= openClient());
  const sendThrough =
    (client: () => Pick<pg.Pool, 'query'>): SendStatement =>
    async (text, values) =>
      client().query({
        name: nameStatement({ sql: text }),
        text,
        values: values.map(toParameter),
        types: rowTypes,
      });
  const transact = (
    work: Parameters<PrismaClient['$transaction']>[0] | ((client: DatabaseClient) => Promise<unknown>),
    options?: object,
  ) => {
    if (typeof work !== 'function') return prisma().$transaction(work, options);
    const connection = new TransactionConnection();
    const methods = rawMethods(sendThrough(() => connection.open()));
    return openings.run(connection, () =>
      prisma().$transaction((client) => work(extend(client, methods)), options),
    );
  };
  const methods = {
    ...rawMethods(sendThrough(() => pool)),
    $transaction: transact,
    async $disconnect() {
      const closing = opened;
      // A client holds 16 MB, also for those who keep the closed database.
      opened = null;
      await closing?.$disconnect();
    },
  };
  const lazy = new Proxy({} as PrismaClient, {
    get: (_target, name) => Reflect.get(prisma(), name) as unknown,
  });
  return extend(lazy, methods);
}

/** Defined, not assigned: an assignment would reach the client itself, which is a proxy. */
const extend = <Client extends object>(client: Client, methods: object): Client =>
  Object.create(client, Object.getOwnPropertyDescriptors(methods)) as Client;

function rawMethods(send: SendStatement): RawMethods {
  const sendTemplate = (query: TemplateStringsArray | Prisma.Sql, values: readonly unknown[]) => {
    const sql = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...(values as Prisma.Sql[]));
    return send(sql.text, sql.values);
  };
  const rowsOf = ({ rows }: pg.QueryResult<object>) => rows;
  const countOf = ({ rowCount }: pg.QueryResult) => rowCount ?? 0;
  const methods = {
    $queryRaw: (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      sendTemplate(query, values).then(rowsOf),
    $executeRaw: (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      sendTemplate(query, values).then(countOf),
    $queryRawUnsafe: (text: string, ...values: unknown[]) => send(text, values).then(rowsOf),
    $executeRawUnsafe: (text: string, ...values: unknown[]) => send(text, values).then(countOf),
  };
  return methods as unknown as RawMethods;
}

/** The transaction that opens in this asynchronous context: the first connection that it checks out is its own. */
const openings = new AsyncLocalStorage<TransactionConnection>();

/** For the pool: a connection that is checked out for a transaction. */
export async function reportConnection(checkedOut: Promise<pg.PoolClient>): Promise<pg.PoolClient> {
  const connection = openings.getStore();
  const client = await checkedOut;
  connection?.adopt(client);
  return client;
}

/**
 * The connection of one transaction. Prisma ends a transaction that exceeds its timeout while its work
 * continues: what the work sends then would run outside the transaction, and is rejected.
 */
class TransactionConnection {
  #client: pg.PoolClient | null = null;
  #isOver = false;

  adopt(client: pg.PoolClient): void {
    if (this.#client) return;
    this.#client = client;
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    const release = client.release.bind(client);
    client.query = ((...parameters: unknown[]) => {
      if (endsTransaction(textOf(parameters[0]))) this.#isOver = true;
      return query(...parameters);
    }) as pg.PoolClient['query'];
    client.release = (error) => {
      this.#isOver = true;
      Reflect.deleteProperty(client, 'query');
      release(error);
    };
  }

  open(): pg.PoolClient {
    if (this.#client && !this.#isOver) return this.#client;
    throw new Prisma.PrismaClientKnownRequestError('The transaction has ended, for example by its timeout.', {
      code: TRANSACTION_CLOSED,
      clientVersion: Prisma.prismaVersion.client,
    });
  }
}

/** Prisma's own code for a statement after the end of its transaction. */
const TRANSACTION_CLOSED = 'P2028';

/** Times are sent in UTC: a cast to `date` takes the day as it is written. */
const toParameter = (value: unknown): unknown => {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(toParameter) : value;
};

const { builtins } = pg.types;
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as never) as (text: string) => unknown;
/** Only elements with other characters are quoted, and only these may be null. */
const PLAIN_ELEMENTS = /^\{[a-z0-9_.:,-]*\}$/;

/** A session in UTC writes `2026-11-26 23:57:22.498+00`. */
const parseUtcTime = (text: string): Date => new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, parseUtcTime],
  [builtins.TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
  [builtins.DATE, (text) => new Date(`${text}T00:00:00Z`)],
  [builtins.INT8, BigInt],
  [builtins.OID, BigInt],
  [INT8_ARRAY, (text) => text.slice(1, -1).split(',').filter(Boolean).map(BigInt)],
  // The parser of `pg` reads an array character by character.
  [
    TEXT_ARRAY,
    (text) =>
      PLAIN_ELEMENTS.test(text) ? text.slice(1, -1).split(',').filter(Boolean) : parseTextArray(text),
  ],
  [builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
]);

/** The types of JavaScript that Prisma returns; those that are not listed are what `pg` returns. */
const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => (parsers.get(oid) ?? pg.types.getTypeParser(oid)) as never,
};
