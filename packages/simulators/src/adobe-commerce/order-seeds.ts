import type { OrderSeed } from './seeded-orders.js';

/** Orders of every kind, oldest first. Tests select them by name. */
export const ORDER_SEEDS = {
  card: { invoices: [[1]] },
  taxed: {
    taxPercent: 21,
    lines: [
      { sku: 'CUP', price: 9.99, qty: 3 },
      { sku: 'TEA', price: 4.33, qty: 7 },
    ],
    invoices: [[3, 7]],
  },
  taxedByTotal: {
    taxPercent: 7,
    shippingTaxPercent: 0,
    taxOfTotal: 0.01,
    lines: [{ sku: 'VASE', price: 14.2, qty: 2 }],
    invoices: [[2]],
  },
  configurableByTotal: {
    taxPercent: 7,
    shippingTaxPercent: 0,
    taxOfTotal: 0.01,
    lines: [
      { sku: 'HAT', price: 14.2, qty: 2, type: 'configurable', children: [{ sku: 'HAT-S', price: 0 }] },
    ],
    invoices: [[2]],
  },
  discounted: {
    taxPercent: 7.5,
    discountPercent: 15,
    lines: [
      { sku: 'LAMP', price: 33.35, qty: 3 },
      { sku: 'BULB', price: 1.11, qty: 10 },
    ],
    invoices: [[3, 10]],
  },
  twoInvoices: {
    lines: [
      { sku: 'SOFA', price: 400, qty: 1 },
      { sku: 'RUG', price: 80, qty: 2 },
    ],
    taxPercent: 10,
    invoices: [
      [1, 0],
      [0, 2],
    ],
    state: 'complete',
    shipped: true,
  },
  configurable: {
    lines: [
      {
        sku: 'SHIRT-M',
        price: 25,
        qty: 2,
        type: 'configurable',
        children: [{ sku: 'SHIRT-M-RED', price: 0 }],
      },
      { sku: 'SOCKS', price: 6, qty: 1 },
    ],
    invoices: [[2, 1]],
  },
  bundle: {
    lines: [
      {
        sku: 'DESK-SET',
        price: 0,
        qty: 1,
        type: 'bundle',
        children: [
          { sku: 'DESK', price: 120 },
          { sku: 'CHAIR', price: 60.5 },
        ],
      },
    ],
    invoices: [[1]],
  },
  dollars: {
    shown: 'USD',
    rate: 1.0837,
    taxPercent: 19,
    lines: [{ sku: 'BOOK', price: 12.99, qty: 2 }],
    invoices: [[2]],
  },
  yen: {
    base: 'JPY',
    lines: [{ sku: 'FAN', price: 1200, qty: 2 }],
    shipping: 500,
    invoices: [[2]],
  },
  dinars: { base: 'KWD', lines: [{ sku: 'OUD', price: 41.25, qty: 1 }], shipping: 2, invoices: [[1]] },
  cheque: { method: 'checkmo', invoices: [[1]] },
  unpaid: { method: 'banktransfer', state: 'new', status: 'pending' },
  authorized: { authorized: true, state: 'new', status: 'pending' },
  pendingPayment: { state: 'pending_payment', status: 'pending_payment' },
  canceled: { state: 'canceled', status: 'canceled' },
  held: { state: 'holded', status: 'holded', invoices: [[1]] },
  reviewed: { state: 'payment_review', status: 'fraud' },
  ownStatus: { status: 'awaiting_pick', invoices: [[1]] },
  guest: { guest: true, invoices: [[1]] },
  virtual: {
    lines: [{ sku: 'EBOOK', price: 8.5, qty: 1, type: 'virtual' }],
    shipping: 0,
    state: 'complete',
    invoices: [[1]],
  },
  free: { method: 'free', lines: [{ sku: 'SAMPLE', price: 0, qty: 1 }], shipping: 0 },
  byWeight: {
    lines: [
      { sku: 'RICE', price: 3.2, qty: 2.5, decimal: true },
      { sku: 'JAR', price: 4, qty: 1 },
    ],
    invoices: [[2.5, 1]],
  },
  partlyInvoiced: { lines: [{ sku: 'BRICK', price: 2, qty: 10 }], invoices: [[4]] },
  freeShipping: { shipping: 5, shippingDiscount: 5, invoices: [[1]] },
  capturedElsewhere: { capturedOffline: true, invoices: [[1]] },
  partlyRefunded: { lines: [{ sku: 'PEN', price: 5, qty: 4 }], invoices: [[4]] },
  refunded: { invoices: [[1]] },
  bookedRefund: { lines: [{ sku: 'CAP', price: 15, qty: 2 }], invoices: [[2]] },
  fixedTax: { lines: [{ sku: 'KETTLE', price: 20, qty: 2, fixedTax: 2.5 }], shipping: 0, invoices: [[2]] },
  giftCard: { credit: { kind: 'gift_cards', amount: 10 }, invoices: [[1]] },
  storeCredit: { credit: { kind: 'customer_balance', amount: 10 }, invoices: [[1]] },
  points: { credit: { kind: 'reward_currency', amount: 10 }, invoices: [[1]] },
  wrapped: { wrapping: 3, invoices: [[1]] },
  customFee: { fee: 1.5, invoices: [[1]] },
  shippedComplete: { state: 'complete', shipped: true, invoices: [[1]] },
  rich: { lines: [{ sku: 'SAW', price: 900, qty: 5 }], taxPercent: 20, invoices: [[5]] },
} as const satisfies Readonly<Record<string, OrderSeed>>;

export type SeedName = keyof typeof ORDER_SEEDS;
