import { notFound, refuse } from '../failure.js';
import { parseId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from './workspace.js';

/** What is undefined stays as it is; the return URLs replace the list. */
export interface UpdateWorkspace {
  readonly id: string;
  readonly name?: string | undefined;
  readonly displayName?: string | null | undefined;
  readonly returnUrls?: readonly string[] | undefined;
}

export type UpdateWorkspaceFailure = 'workspace.not_found' | 'workspace.name_taken' | 'request.invalid';

/** The operator's act: no key can do it. */
export async function updateWorkspace(
  ports: Pick<Ports, 'transactions'>,
  { id: text, ...changes }: UpdateWorkspace,
): Promise<Result<Workspace, UpdateWorkspaceFailure>> {
  const wrong = changes.returnUrls?.find((url) => !isReturnUrl(url));
  if (wrong !== undefined) {
    return refuse(
      'request.invalid',
      `${JSON.stringify(wrong)} cannot be a return URL: it begins with https:// (or http://) and has neither a user nor a fragment.`,
    );
  }
  const id = parseId('wsp', text);
  if (!id) return notFound('workspace');
  return ports.transactions.run(async (tx) => {
    const namesake = changes.name === undefined ? null : await tx.workspaces.findByName(changes.name);
    if (namesake && namesake.id !== id) {
      return refuse(
        'workspace.name_taken',
        `There is a workspace named ${JSON.stringify(namesake.name)} already.`,
      );
    }
    const { name, displayName, returnUrls } = changes;
    const workspace = await tx.workspaces.update(id, {
      ...(name !== undefined && { name }),
      ...(displayName !== undefined && { displayName }),
      ...(returnUrls !== undefined && { returnUrls }),
    });
    if (!workspace) return notFound('workspace');
    await tx.audit.append({
      workspaceId: id,
      actor: 'system:operator',
      action: 'updateWorkspace',
      object: id,
      outcome: 'ok',
      requestId: '',
      details: {},
    });
    return ok(workspace);
  });
}

/** What an entry of the list may be; `allowsReturnUrl` compares with it whole. */
function isReturnUrl(text: string): boolean {
  if (/[\u0000-\u0020\\]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '';
}
