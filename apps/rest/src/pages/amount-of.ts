import { formatAmount, type Money } from '@switchboard/domain';
import { html, type Markup } from './html.js';

/** An amount with its currency, in one piece. */
export const amountOf = (money: Money): Markup => html`<bdi>${money.currency} ${formatAmount(money)}</bdi>`;
