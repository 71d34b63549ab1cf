import { recipientSetter } from '../approvals/decision-link.js';
import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { changesNothing, isStale, preconditionFailed, versionOf } from '../version.js';
import type { Workspace } from './workspace.js';

/** Undefined fields stay unchanged; the return URLs and the addresses replace their list. */
export interface UpdateWorkspace {
  readonly displayName?: string | null | undefined;
  readonly logoUrl?: string | null | undefined;
  readonly accentColor?: string | null | undefined;
  readonly supportEmail?: string | null | undefined;
  readonly privacyUrl?: string | null | undefined;
  readonly returnUrls?: readonly string[] | undefined;
  readonly defaultTimezone?: string | undefined;
  readonly notifyEmails?: readonly string[] | undefined;
}

/** Changes the settings. Addresses are accepted only where e-mail can be sent. */
export async function updateWorkspace(
  ports: Pick<AtomicPorts, 'workspaces' | 'settings'>,
  call: Call,
  changes: UpdateWorkspace,
): Promise<Result<Workspace, 'workspace.not_found' | 'request.precondition_failed' | 'request.invalid'>> {
  if (changes.notifyEmails && changes.notifyEmails.length > 0 && !ports.settings.sendsEmail) return noEmail();
  const before = await ports.workspaces.find(call.workspaceId);
  if (!before) return notFound('workspace');
  const { notifyEmails } = changes;
  // The key that sets the addresses answers for all of them. Earlier versions did not record it.
  const setsEmails =
    notifyEmails !== undefined &&
    (before.notifyEmailsSetBy === null || !changesNothing(before, { notifyEmails }));
  const all = { ...changes, notifyEmailsSetBy: setsEmails ? recipientSetter(call) : undefined };
  if (!isStale(call, before) && changesNothing(before, all)) return ok(before);
  const updated = await ports.workspaces.update(call.workspaceId, all, versionOf(call));
  return updated ? ok(updated) : preconditionFailed('workspace', nextCall.getWorkspace());
}

const noEmail = () => {
  const message =
    'cannot be set: this installation sends no e-mail until its operator sets SWITCHBOARD_SMTP_URL';
  return refuse('request.invalid', `notify_emails ${message}.`, {
    problems: [{ path: 'notify_emails', code: 'field.invalid', message }],
  });
};
