import { formatMoney } from '../store/currency.js';
import type { presentOrder } from '../store/orders.js';
import type { Shop } from '../store/shops.js';
import { formatDay, html, layout, table, type Markup, type MarkupPart } from './layout.js';

type PresentedOrder = ReturnType<typeof presentOrder>;

export function ordersPage(shops: readonly Shop[], shop: Shop, orders: readonly PresentedOrder[]): Markup {
  return layout({
    title: `${shop.name}: orders`,
    platform: 'store',
    content: html`<nav class="tabs" aria-label="Shops">
        ${shops.map((other) => html`<a href="/store/orders?shop=${other.id}" ${other === shop && html`aria-current="page"`}>${other.name}</a>`)}
      </nav>
      <h1>Orders</h1>
      <p class="quiet">The latest ${orders.length}. ${shop.about}</p>
      <div class="card scroll">
        ${table(['Order', 'Placed', 'Buyer', 'Payment', 'Goods', 'Total'], orders.map(orderRow), { endFrom: 5 })}
      </div>`,
  });
}

const orderRow = (order: PresentedOrder): Markup =>
  html`<tr>
    <th scope="row"><a href="/store/orders/${order.id}">#${order.number}</a></th>
    <td>${formatDay(order.created_at)}</td>
    <td dir="auto">
      ${order.billing_address.name}${!order.customer && html` <span class="quiet">(guest)</span>`}
    </td>
    <td>${tag(order.payment_status)}</td>
    <td>${tag(order.fulfillment_status)}</td>
    <td class="end">${formatMoney(order.total, order.currency)}</td>
  </tr>`;

export function orderPage(shop: Shop, order: PresentedOrder): Markup {
  const money = (amountMinor: number) => formatMoney(amountMinor, order.currency);
  const row = (label: string, amountMinor: number) =>
    html`<tr>
      <th scope="row" colspan="3">${label}</th>
      <td class="end">${money(amountMinor)}</td>
    </tr>`;
  const lines = order.line_items.map(
    (line) =>
      html`<tr>
        <th scope="row">${line.title} <span class="quiet">${line.sku}</span></th>
        <td class="end">${money(line.unit_price)}</td>
        <td class="end">
          ${line.quantity}${line.refunded_quantity > 0 && html` <span class="quiet">(${line.refunded_quantity} refunded)</span>`}
        </td>
        <td class="end">${money(line.total)}</td>
      </tr>`,
  );
  const foot = html`<tfoot>
    ${order.discount_total > 0 && row('Discount included', -order.discount_total)}
    ${order.shipping_lines.map((line) => row(`${line.title}, with tax`, line.total))}
    ${row('Tax included', order.tax_total)} ${row('Total', order.total)}
    ${row('Refunded', order.refunded_total)} ${row('Can be refunded', order.refundable_total)}
  </tfoot>`;
  return layout({
    title: `Order #${order.number}`,
    platform: 'store',
    content: html`<p><a class="quiet" href="/store/orders?shop=${shop.id}">← Orders of ${shop.name}</a></p>
      <h1>Order #${order.number}</h1>
      <p>${tag(order.status)} ${tag(order.payment_status)} ${tag(order.fulfillment_status)}</p>
      <p class="quiet">
        ${formatDay(order.created_at)} · <span dir="auto">${order.billing_address.name}</span> ·
        ${order.billing_address.email}
      </p>
      <section class="card scroll">
        ${table(['Item', 'Price', 'Quantity', 'Total'], lines, { endFrom: 1, foot })}
      </section>
      <h2>Payments</h2>
      <ul class="card lines">
        ${order.payments.map((payment) => html`<li><span>${payment.method} ${tag(payment.status)}</span><strong>${money(payment.amount)}</strong></li>`)}
      </ul>
      <h2>Refunds</h2>
      ${order.refunds.length === 0 && html`<p class="quiet">None.</p>`}
      <ul class="card lines">
        ${order.refunds.map(
          (refund) =>
            html`<li>
              <span
                >${formatDay(refund.created_at)} ${tag(refund.status)}
                ${refund.reason}${refund.reference !== null && html` <span class="quiet">${refund.reference}</span>`}${refund.offline && html` <span class="quiet">(refunded offline)</span>`}</span
              >
              <strong>${money(refund.amount)}</strong>
            </li>`,
        )}
      </ul>`,
  });
}

function tag(status: string): MarkupPart {
  return html`<span class="tag ${status}">${status.replaceAll('_', ' ')}</span>`;
}
