import { canonicalJson, Secret, type Result } from '@switchboard/domain';
import { identifyCaller } from '@switchboard/domain/access';
import type { Ports, SealBinding } from '@switchboard/domain/ports';
import type { Operation } from '@switchboard/operations';
import type { Caller } from './dispatch-for-caller.js';

export type ConfirmationStatePorts = Parameters<typeof identifyCaller>[0] & Pick<Ports, 'vault'>;

/** How long a person may take to respond: as for a form that is shown while a call waits, and some more. */
const LIFETIME_MS = 10 * 60_000;

/**
 * The state that a client returns with the response of a person: proof that exactly this call was asked
 * about, because any client can send a response without a question. It is sealed by the vault, opens only for
 * the same operation with the same input, called by a key of the same lineage or the same OAuth client of one,
 * and only for ten minutes. It is not consumed: a quote is refunded once, however often the call is sent.
 */
export interface ConfirmationStates {
  seal(): string;
  isValid(state: string): boolean;
}

/** The states of one call; a failure for a key that is invalid by now, and while the vault is unavailable. */
export async function openConfirmationStates(
  ports: ConfirmationStatePorts,
  caller: Pick<Caller, 'authorization' | 'address'>,
  { name, mcpInput }: Pick<Operation, 'name' | 'mcpInput'>,
  input: unknown,
): Promise<Result<ConfirmationStates>> {
  const { result } = await identifyCaller(ports, { ...caller, surface: 'mcp' });
  if (!result.ok) return result;
  const { workspaceId, lineage, client = '' } = result.value;
  const unlocked = await ports.vault.unlock(workspaceId);
  if (!unlocked.ok) return unlocked;
  const vault = unlocked.value;
  // An input that does not parse is never asked about, so that no state matches it.
  const { data = null } = mcpInput.safeParse(input);
  const binding: SealBinding = {
    table: 'confirmations',
    row: `${name}:${lineage}:${client}:${ports.tokens.digestHex(canonicalJson(data))}`,
    field: 'state',
    generation: 0,
  };
  return {
    ok: true,
    value: {
      seal() {
        const expiresAtMs = ports.clock.now().getTime() + LIFETIME_MS;
        return Buffer.from(vault.seal(binding, new Secret(String(expiresAtMs)))).toString('base64url');
      },
      isValid(state) {
        const opened = vault.open(binding, Buffer.from(state, 'base64url'));
        return opened.ok && ports.clock.now().getTime() < Number(opened.value.reveal());
      },
    },
  };
}
