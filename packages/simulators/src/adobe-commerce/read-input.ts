import { fieldsOf } from '../wire/exchange.js';

/** A field of the wrong type, or a missing required one: rejected before anything is processed. */
export class InvalidInputError extends Error {
  readonly parameters: Readonly<Record<string, string>> | undefined;

  constructor(message: string, parameters?: Readonly<Record<string, string>>) {
    super(message);
    this.parameters = parameters;
  }
}

const invalidType = (field: string, value: unknown, type: string) =>
  new InvalidInputError(
    `Error occurred during "${field}" processing. The "${String(value)}" value's type is invalid. The "${type}" type was expected. Verify and try again.`,
  );
const required = (field: string) =>
  new InvalidInputError('"%fieldName" is required. Enter and try again.', { fieldName: field });

type InputFields = Readonly<Record<string, unknown>>;

/** Both spellings of a name are accepted; null is treated as absent. */
function valueOf(fields: InputFields, name: string): unknown {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return fields[name] ?? fields[camel] ?? undefined;
}

function readNumber(fields: InputFields, name: string, type: 'int' | 'float'): number | undefined {
  const value = valueOf(fields, name);
  if (value === undefined) return undefined;
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof read !== 'number' || Number.isNaN(read) || (type === 'int' && !Number.isInteger(read))) {
    throw invalidType(name, value, type);
  }
  return read;
}

function readFlag(fields: InputFields, name: string): boolean {
  const value = valueOf(fields, name) ?? false;
  if (typeof value !== 'boolean' && value !== 0 && value !== 1) throw invalidType(name, value, 'boolean');
  return Boolean(value);
}

function readList(fields: InputFields, name: string): readonly unknown[] {
  const value = valueOf(fields, name) ?? [];
  if (!Array.isArray(value)) throw invalidType(name, value, 'array');
  return value;
}

export const readId = (text: string): number => {
  if (!/^\d+$/.test(text)) throw invalidType('id', text, 'int');
  return Number(text);
};

/** The refund request as the store's service accepts it. */
export function readRefundInput(body: unknown) {
  const fields = fieldsOf(body);
  const stated = fieldsOf(valueOf(fields, 'arguments'));
  const comment = valueOf(fields, 'comment');
  return {
    items: readList(fields, 'items').map((item) => {
      const orderItemId = readNumber(fieldsOf(item), 'order_item_id', 'int');
      const qty = readNumber(fieldsOf(item), 'qty', 'float');
      if (orderItemId === undefined) throw required('orderItemId');
      if (qty === undefined) throw required('qty');
      return { orderItemId, qty };
    }),
    isOnline: readFlag(fields, 'is_online'),
    notify: readFlag(fields, 'notify'),
    comment: comment === undefined ? null : readComment(fieldsOf(comment)),
    shippingAmount: readNumber(stated, 'shipping_amount', 'float'),
    adjustmentPositive: readNumber(stated, 'adjustment_positive', 'float') ?? 0,
    adjustmentNegative: readNumber(stated, 'adjustment_negative', 'float') ?? 0,
    returnToStock: readList(fieldsOf(valueOf(stated, 'extension_attributes')), 'return_to_stock_items').map(
      (id) => readNumber({ id }, 'id', 'int') ?? 0,
    ),
  };
}

export type RefundInput = ReturnType<typeof readRefundInput>;

function readComment(fields: InputFields) {
  const text = valueOf(fields, 'comment');
  if (typeof text !== 'string') throw required('comment');
  const isVisible = readNumber(fields, 'is_visible_on_front', 'int');
  if (isVisible === undefined) throw required('isVisibleOnFront');
  return { comment: text, isVisibleOnFront: isVisible !== 0 };
}
