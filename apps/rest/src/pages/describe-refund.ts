import { money } from '@switchboard/domain';
import type { RefundPreviewLine, RefundSubject } from '@switchboard/domain/approvals';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import { amountOf } from './amount-of.js';
import { html, type Markup } from './html.js';
import { isolateName, sanitizeName } from './isolate-name.js';

/** The lines that a preview holds at most. */
const LINES_MAX = 100;

/** What a refund does: its lines, the money and how it moves, and what remains of the order. */
export function describeRefund(subject: RefundSubject, translator: Translator): Markup {
  const { refund, preview, platform, connection } = subject;
  const { extent, reason, note, amount } = refund;
  const formatMinor = (minor: number) => amountOf(money(minor, amount.currency));
  const isAmount = extent.kind === 'amount';
  return html`<section>
    ${connection && accountCard(connection, platform.name)}
    <dl class="facts">
      ${
        preview.orderNumber !== '' &&
        html`<dt>${translator.markup('orderNumber')}</dt>
          <dd>${isolateName(preview.orderNumber)}</dd>`
      }
      ${
        reason !== null &&
        html`<dt>${translator.markup('refundReason')}</dt>
          <dd dir="auto">${reason}</dd>`
      }
      ${
        note !== null &&
        html`<dt>${translator.markup('refundNote')}</dt>
          <dd dir="auto">${note}</dd>`
      }
    </dl>
    <h2>${translator.markup('refundedItems')}</h2>
    ${extent.kind === 'full' && html`<p>${translator.markup('wholeRemainder')}</p>`}
    ${isAmount && html`<p>${translator.markup('amountOnly')}</p>`}
    ${isAmount && preview.lines.length > 0 && html`<h3>${translator.markup('itemsRestocked')}</h3>`}
    <ul class="lines">
      ${preview.lines.map((line) => describeLine(line, isAmount, formatMinor, translator))}
      ${
        preview.shippingMinor > 0 &&
        html`<li><span>${translator.markup('shipping')}</span>${formatMinor(preview.shippingMinor)}</li>`
      }
      <li class="total"><span>${translator.markup('refundTotal')}</span>${amountOf(amount)}</li>
    </ul>
    ${preview.lines.length === LINES_MAX && html`<p class="lead">${translator.markup('furtherItems')}</p>`}
    <h2>${translator.markup('customerReceives')}</h2>
    ${describeMoney(subject, formatMinor, translator)}
    <p>${translator.markup(notices[String(refund.notifyCustomer) as keyof typeof notices])}</p>
    <h2>${translator.markup('orderAfterwards')}</h2>
    <p>
      ${
        preview.refundableAfterMinor === 0
          ? translator.markup('remainsNothing')
          : translator.markup('remainsAmount', { amount: formatMinor(preview.refundableAfterMinor) })
      }
    </p>
  </section>`;
}

const notices = { true: 'notifiesYes', false: 'notifiesNo', null: 'notifiesMaybe' } as const;

function describeLine(
  { title, quantity, amountMinor, restock }: RefundPreviewLine,
  isRestockOnly: boolean,
  formatMinor: (minor: number) => Markup,
  translator: Translator,
): Markup {
  const name = sanitizeName(title);
  return html`<li>
    <span
      >${quantity} × ${name === '' ? translator.markup('unnamedItem') : isolateName(title)}
      ${!isRestockOnly && html`<small>${translator.markup(restock ? 'backToStock' : 'notBackToStock')}</small>`}</span
    >${amountMinor !== null && formatMinor(amountMinor)}
  </li>`;
}

function describeMoney(
  { refund: { amount, payments }, platform }: RefundSubject,
  formatMinor: (minor: number) => Markup,
  translator: Translator,
): Markup {
  const offlineMinor = payments
    .filter(({ moneyMoved }) => !moneyMoved)
    .reduce((sum, payment) => sum + payment.amountMinor, 0);
  const onlineMinor = amount.amountMinor - offlineMinor;
  return html`${
    onlineMinor > 0 &&
    html`<p>
      ${translator.markup('moneyReturns', { platform: platform.name, amount: formatMinor(onlineMinor) })}
    </p>`
  }${offlineMinor > 0 && html`<p>${translator.markup('moneyRecorded', { amount: formatMinor(offlineMinor) })}</p>`}`;
}
