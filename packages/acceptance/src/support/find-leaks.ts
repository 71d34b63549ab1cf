import type { ConnectionId } from '@switchboard/domain';
import { credentialBinding } from '@switchboard/domain/connections';
import type { Operator } from './operator.js';

const SECRET_FIELDS = /token$|jwt$|password|^d$|secret|verifier/i;

/** Every secret of a connection's sealed credential, opened with the master key. */
export async function readCredentialSecrets(
  { service, workspaceId }: Operator,
  id: ConnectionId,
): Promise<readonly string[]> {
  const { vault, credentials } = service.ports;
  const [unlocked, found] = [await vault.unlock(workspaceId), await credentials.find(workspaceId, id)];
  if (!unlocked.ok || !found) throw new Error(`the connection ${id} has no credential`);
  const opened = unlocked.value.open(credentialBinding(id, found.generation), found.sealed);
  if (!opened.ok) throw new Error(opened.failure.message);
  return collectSecrets(JSON.parse(opened.value.reveal()));
}

function collectSecrets(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return SECRET_FIELDS.test(name) && value.length >= 12 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => collectSecrets(inner, key));
}

/** All encodings in which a secret may be written; base64 in each of its three alignments. */
export function listSpellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const aligned = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return encoded.slice(shift === 0 ? 0 : shift + 1, -4);
  });
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...aligned,
    ...aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Which secret appears where it should not: `belongs` receives both names. */
export function findLeaks(
  places: ReadonlyMap<string, string>,
  secrets: ReadonlyMap<string, string>,
  belongs: (secret: string, place: string) => boolean,
): readonly string[] {
  return [...secrets].flatMap(([name, secret]) => {
    const spellings = [...new Set(listSpellings(secret))];
    return [...places].flatMap(([place, content]) =>
      !belongs(name, place) && spellings.some((spelling) => content.includes(spelling))
        ? [`${place} contains the ${name}`]
        : [],
    );
  });
}

/** The places, by name, that contain one of the secrets in any encoding. */
export function findLeakPlaces(
  places: ReadonlyMap<string, string>,
  secrets: readonly string[],
): readonly string[] {
  const spellings = secrets.flatMap(listSpellings);
  return [...places].flatMap(([name, content]) =>
    spellings.some((spelling) => content.includes(spelling)) ? [name] : [],
  );
}
