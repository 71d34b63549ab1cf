import type { Refund } from './refund-store.js';
import type { Location } from './seeded-data.js';

export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** The stored part of an order, in Square's own shape. */
export interface Order {
  readonly id: string;
  readonly location_id: string;
  readonly state: 'OPEN' | 'COMPLETED' | 'CANCELED' | 'DRAFT';
  readonly total_money: Money;
  readonly tenders?: readonly { readonly id: string; readonly payment_id: string }[];
  readonly returns?: readonly unknown[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at?: string;
  readonly [field: string]: unknown;
}

export interface Payment {
  readonly id: string;
  readonly order_id: string;
  readonly location_id: string;
  readonly status: 'APPROVED' | 'PENDING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
  readonly source_type: string;
  readonly total_money: Money;
  readonly created_at: string;
  updated_at: string;
  version_token: string;
  refunded_money?: Money;
  refund_ids?: string[];
  readonly card_details?: {
    readonly refund_requires_card_presence?: boolean;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** The state of one merchant at Square. */
export interface MerchantData {
  readonly locations: readonly Location[];
  readonly orders: Order[];
  readonly payments: Map<string, Payment>;
  /** Each payment's previous states, oldest first. */
  readonly past: Map<string, readonly Payment[]>;
  readonly refunds: Map<string, Refund>;
  readonly customers: ReadonlyMap<string, unknown>;
}
