import { failures, type Call, type Ports, type Result, type Tools, type Tx } from '@switchboard/domain';
import { refusal, success, type Answer } from './answer.js';
import { auditRow, notingTransactions } from './audit.js';
import type { Operation } from './define.js';
import type { Memory } from './once.js';

/** An answer with the value that it presents, which waiting needs; a replay and a refusal have none. */
export interface Ran {
  readonly answer: Answer;
  readonly value?: unknown;
}

/** Called as soon as something is committed, or may be. */
type Began = () => void;

type Run = (
  ports: Ports,
  operation: Operation,
  call: Call,
  command: unknown,
  memory: Memory,
  began: Began,
) => Promise<Ran>;
type UseCase = (ports: unknown, call: Call, command: unknown) => Promise<Result<unknown>>;

export const run: Run = (ports, operation, ...rest) => ways[operation.boundary](ports, operation, ...rest);

const ways: Record<Operation['boundary'], Run> = {
  async read(ports, operation, call, command) {
    const result = await (operation.useCase as UseCase)(ports, call, command);
    return result.ok
      ? present(ports, operation, call, result.value)
      : { answer: refusal(result.failure, call.requestId) };
  },

  /** Claim, change, event, audit row and answer commit together or not at all. */
  async atomic(ports, operation, call, command, memory, began) {
    began();
    const tools = toolsOf(ports);
    const done = await ports.transactions.run(async (tx): Promise<Result<Ran>> => {
      const before = await memory.claim(tx);
      if (!before.ok) return before;
      if (before.value) return { ok: true, value: { answer: before.value } };
      const result = await (operation.useCase as UseCase)({ ...tx, ...tools }, call, command);
      if (!result.ok) return result;
      const ran = present(ports, operation, call, result.value);
      await record(tx, operation, call, ran);
      await memory.keep(tx, ran.answer);
      return { ok: true, value: ran };
    });
    return done.ok ? done.value : { answer: refusal(done.failure, call.requestId) };
  },

  /** The use case opens a transaction for each step; the claim is a lease, so that a request that died is taken up again. */
  async staged(ports, operation, call, command, memory, began) {
    const before = await ports.transactions.run((tx) => memory.claim(tx));
    if (!before.ok) return { answer: refusal(before.failure, call.requestId) };
    if (before.value) return { answer: before.value };
    let ran: Ran | null = null;
    try {
      const result = await (operation.useCase as UseCase)(
        noting(ports, operation, call, began),
        call,
        command,
      );
      ran = result.ok
        ? present(ports, operation, call, result.value)
        : { answer: refusal(result.failure, call.requestId) };
      return ran;
    } finally {
      const settled = ran;
      await ports.transactions.run(async (tx): Promise<Result<undefined>> => {
        if (settled && isKept(settled.answer)) await memory.keep(tx, settled.answer);
        else await memory.release(tx);
        if (settled && !settled.answer.failure) await record(tx, operation, call, settled);
        return { ok: true, value: undefined };
      });
    }
  },
};

function noting(ports: Ports, operation: Operation, call: Call, began: Began): Ports {
  if (operation.effect === 'read') return ports;
  const row = auditRow(operation, call, null, 'begun');
  return { ...ports, transactions: notingTransactions(ports.transactions, row, began) };
}

/** An answer is kept when something was committed or sent; a refusal that changed nothing is not. */
const isKept = ({ failure }: Answer): boolean =>
  failure === null || (failure.effect ?? failures[failure.code].effect) !== 'none';

export function present(ports: Ports, operation: Operation, call: Call, value: unknown): Ran {
  const presented = operation.present(value as never, { call, now: ports.clock.now(), ports });
  // Parsing strips whatever a presenter let slip: only what the schema states leaves.
  const wire = operation.output.parse(presented);
  const answer = success(operation.http.status, wire, operation.etag?.(value) ?? null);
  return { answer: { ...answer, replayed: operation.replayed?.(value) ?? false }, value };
}

async function record(tx: Tx, operation: Operation, call: Call, { answer, value }: Ran): Promise<void> {
  if (operation.effect === 'read' || operation.records) return;
  const id = operation.object ? operation.object(value) : answer.value['id'];
  await tx.audit.append(auditRow(operation, call, typeof id === 'string' ? id : null, 'ok'));
}

const toolsOf = ({
  clock,
  ids,
  cursors,
  tokens,
  keysmith,
  manifests,
  settings,
  mediaLinks,
}: Ports): Tools => ({
  clock,
  ids,
  cursors,
  tokens,
  keysmith,
  manifests,
  settings,
  mediaLinks,
});
