import type { Decision } from '@switchboard/domain/approvals';
import type { PlainTextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { html } from './html.js';
import { icons } from './icons.js';
import type { Page } from './page.js';

interface Outcome {
  readonly status: 200 | 410;
  readonly mark: 'good' | 'bad' | 'neutral';
  readonly title: PlainTextKey;
  readonly lines: readonly PlainTextKey[];
}

/**
 * The page of a link that decides nothing more. `wasRefused`: a decision was sent, and changed nothing.
 */
export function decidedPage(decision: Decision, translator: Translator, wasRefused: boolean): Page {
  const { approval, workspace, profile } = decision;
  const { status, mark, title, lines } = outcomeOf(decision);
  const { decidedAt, note } = approval;
  const isDecided = approval.status === 'approved' || approval.status === 'rejected';
  const timezone = profile?.timezone ?? workspace.defaultTimezone;
  return {
    status: wasRefused ? 409 : status,
    title: translator.text(title),
    brand: workspace,
    translator,
    footer: null,
    content: html`<div class="mark ${mark}">${icons[mark]}</div>
      <h1>${translator.markup(title)}</h1>
      ${
        wasRefused &&
        isDecided &&
        html`<div class="alert" role="alert"><p>${translator.markup('decidedBefore')}</p></div>`
      }
      ${lines.map((line) => html`<p class="lead">${translator.markup(line)}</p>`)}
      ${isDecided && decidedAt && html`<p>${translator.markup('decidedWhen', { time: translator.time(decidedAt, timezone) })}</p>`}
      ${isDecided && note !== null && html`<p class="text" dir="auto">${translator.markup('decisionNote', { note })}</p>`}
      <p class="note">${translator.markup('closePage')}</p>`,
  };
}

/** A pending approval without a subject is late, or its content is no longer what was requested. */
function outcomeOf({ approval: { kind, status, expiresAt }, readAt }: Decision): Outcome {
  const nothing = kind === 'post' ? 'nothingPublished' : 'noMoneyMoves';
  if (status === 'approved') {
    const line = kind === 'post' ? 'approvedPost' : 'approvedRefund';
    return { status: 200, mark: 'good', title: 'approvedTitle', lines: [line] };
  }
  if (status === 'rejected') return { status: 200, mark: 'bad', title: 'rejectedTitle', lines: [nothing] };
  if (status === 'expired' || (status === 'pending' && expiresAt <= readAt))
    return { status: 410, mark: 'neutral', title: 'lateTitle', lines: [nothing] };
  return { status: 410, mark: 'neutral', title: 'changedTitle', lines: ['changedWhy'] };
}
