import { fieldsWith } from '../wire/exchange.js';
import type { SalesMemo } from './refunds.js';
import type { SalesInvoice, SalesItem, SalesOrder } from './seeded-orders.js';

type Row = Readonly<Record<string, unknown>>;

/** Omits fields without a value, except those that the service interface declares as always present. */
const omitEmpty = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));

/** Order columns that are empty until an event sets them. */
const UNSET_UNTIL_USED =
  /^(base_)?(total_(paid|refunded|invoiced|(on|off)line_refunded)|\w+_refunded|adjustment_\w+)$/;

const omitUnused = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== 0 || !UNSET_UNTIL_USED.test(name)),
  );

export const presentOrder = (order: SalesOrder): Row => {
  const { items, payment, billing_address: billing, shipping_address: shipping, extras, ...row } = order;
  const { last_trans_id: transaction, ...paid } = payment;
  return {
    ...omitUnused(omitEmpty(row)),
    items: items.map(presentItem),
    billing_address: billing,
    payment: {
      ...omitEmpty(paid),
      ...(transaction !== null && { last_trans_id: transaction }),
      account_status: null,
      cc_last4: null,
    },
    extension_attributes: {
      shipping_assignments: [
        { shipping: { ...(shipping && { address: shipping }), method: 'flatrate_flatrate' }, items: [] },
      ],
      ...presentExtras(order.entity_id, extras),
    },
  };
};

/** The store truncates the column of the base amount too. */
function presentItem(item: SalesItem): Row {
  const { dummy: _, fixed_tax: _tax, base_fixed_tax: baseTax, ...row } = item;
  return {
    ...omitEmpty({ ...row, fixed_tax_refunded: null, base_fixed_tax_refunded: null }),
    base_weee_tax_applied_row_amnt: baseTax,
  };
}

/** Wrapping amounts are strings, all others are numbers. */
const presentExtras = (orderId: number, { credit, wrapping, fee }: SalesOrder['extras']): Row => ({
  ...(credit && { [`base_${credit.kind}_amount`]: credit.amount, [`${credit.kind}_amount`]: credit.amount }),
  ...(wrapping > 0 && { gw_id: '1', gw_base_price: wrapping.toFixed(4), gw_price: wrapping.toFixed(4) }),
  ...(fee > 0 && {
    custom_fees: [
      {
        order_id: String(orderId),
        ...fieldsWith('handling', 'custom_fee_code custom_fee_label'),
        ...fieldsWith(fee, 'custom_fee_amount base_custom_fee_amount'),
        ...fieldsWith(fee, 'custom_fee_amount_invoiced base_custom_fee_amount_invoiced'),
        ...fieldsWith(0, 'custom_fee_amount_refunded base_custom_fee_amount_refunded'),
        ...fieldsWith(false, 'apply_fee_on_last_invoice apply_fee_on_last_creditmemo'),
      },
    ],
  }),
});

export const presentInvoice = ({ base_total_refunded: refunded, ...invoice }: SalesInvoice): Row => ({
  ...omitEmpty(invoice),
  ...(refunded !== 0 && { base_total_refunded: refunded }),
  comments: [],
});

export const presentMemo = (memo: SalesMemo): Row => omitEmpty({ ...memo });

/** One shipment of all units that have left. */
export function shipmentsOf(order: SalesOrder) {
  const shipped = order.items.filter(({ qty_shipped: units }) => units > 0);
  if (shipped.length === 0) return [];
  const id = order.entity_id + 50_000;
  return [
    {
      entity_id: id,
      order_id: order.entity_id,
      increment_id: String(id).padStart(9, '0'),
      created_at: order.updated_at,
      updated_at: order.updated_at,
      items: shipped.map(({ item_id, qty_shipped: qty, sku, name }, at) => ({
        entity_id: id * 10 + at,
        parent_id: id,
        order_item_id: item_id,
        sku,
        name,
        qty,
      })),
      tracks: [
        {
          entity_id: id,
          parent_id: id,
          order_id: order.entity_id,
          weight: 1.5,
          qty: 1,
          description: '',
          carrier_code: 'ups',
          title: 'United Parcel Service',
          track_number: `1Z${id}`,
        },
      ],
      comments: [],
    },
  ];
}

/** Every field with a single value can be searched and sorted. */
const columns = (names: string): ReadonlySet<string> => new Set(names.split(' '));

export const COLUMNS = {
  order: columns(
    'entity_id increment_id state status store_id customer_id customer_email customer_is_guest created_at updated_at grand_total base_grand_total base_currency_code order_currency_code total_paid base_total_paid total_refunded base_total_refunded',
  ),
  invoice: columns(
    'entity_id order_id increment_id state transaction_id created_at updated_at base_grand_total',
  ),
  shipment: columns('entity_id order_id increment_id created_at updated_at total_qty'),
  memo: columns(
    'entity_id order_id invoice_id increment_id state transaction_id created_at updated_at base_grand_total',
  ),
};
