import { formatMoney } from '../store/currency.js';
import type { presentOrder } from '../store/orders.js';
import type { Shop } from '../store/shops.js';
import { layout, type Markup, type MarkupPart, html } from './layout.js';

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
        <table>
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Placed</th>
              <th scope="col">Buyer</th>
              <th scope="col">Payment</th>
              <th scope="col">Goods</th>
              <th scope="col" class="end">Total</th>
            </tr>
          </thead>
          <tbody>
            ${orders.map(
              (order) =>
                html`<tr>
                  <th scope="row"><a href="/store/orders/${order.id}">#${order.number}</a></th>
                  <td>${day(order.created_at)}</td>
                  <td dir="auto">
                    ${order.billing_address.name}${!order.customer && html` <span class="quiet">(guest)</span>`}
                  </td>
                  <td>${tag(order.payment_status)}</td>
                  <td>${tag(order.fulfillment_status)}</td>
                  <td class="end">${formatMoney(order.total, order.currency)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`,
  });
}

export function orderPage(shop: Shop, order: PresentedOrder): Markup {
  const money = (amountMinor: number) => formatMoney(amountMinor, order.currency);
  const row = (label: string, amountMinor: number) =>
    html`<tr>
      <th scope="row" colspan="3">${label}</th>
      <td class="end">${money(amountMinor)}</td>
    </tr>`;
  return layout({
    title: `Order #${order.number}`,
    platform: 'store',
    content: html`<p><a class="quiet" href="/store/orders?shop=${shop.id}">← Orders of ${shop.name}</a></p>
      <h1>Order #${order.number}</h1>
      <p>${tag(order.status)} ${tag(order.payment_status)} ${tag(order.fulfillment_status)}</p>
      <p class="quiet">
        ${day(order.created_at)} · <span dir="auto">${order.billing_address.name}</span> ·
        ${order.billing_address.email}
      </p>
      <section class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col" class="end">Price</th>
              <th scope="col" class="end">Quantity</th>
              <th scope="col" class="end">Total</th>
            </tr>
          </thead>
          <tbody>
            ${order.line_items.map(
              (line) =>
                html`<tr>
                  <th scope="row">${line.title} <span class="quiet">${line.sku}</span></th>
                  <td class="end">${money(line.unit_price)}</td>
                  <td class="end">
                    ${line.quantity}${line.refunded_quantity > 0 && html` <span class="quiet">(${line.refunded_quantity} refunded)</span>`}
                  </td>
                  <td class="end">${money(line.total)}</td>
                </tr>`,
            )}
          </tbody>
          <tfoot>
            ${order.discount_total > 0 && row('Discount included', -order.discount_total)}
            ${order.shipping_lines.map((line) => row(`${line.title}, with tax`, line.total))}
            ${row('Tax included', order.tax_total)} ${row('Total', order.total)}
            ${row('Refunded', order.refunded_total)} ${row('Can be refunded', order.refundable_total)}
          </tfoot>
        </table>
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
                >${day(refund.created_at)} ${tag(refund.status)}
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

function day(at: string): string {
  return new Date(at).toLocaleDateString('en', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
