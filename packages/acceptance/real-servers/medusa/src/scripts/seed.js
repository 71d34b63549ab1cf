// Creates orders with payments through Medusa's own workflows, and a secret key. Prints one line of JSON.
const { ContainerRegistrationKeys, Modules } = require('@medusajs/framework/utils');
const {
  createApiKeysWorkflow,
  createOrderPaymentCollectionWorkflow,
  createOrderWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  markPaymentCollectionAsPaid,
} = require('@medusajs/medusa/core-flows');

/** The price of one of the two items of an order, in cents. */
const goodsOf = (index) => 1050 + 101 * index;
const SHIPPING_CENTS = 499;

exports.default = async function seed({ container, args }) {
  const count = Number(args[0]);
  const run = async (workflow, input) => (await workflow(container).run({ input })).result;
  const [user] = await container.resolve(Modules.USER).listUsers({}, { take: 1 });
  const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'Web' }] });
  const [region] = await run(createRegionsWorkflow, {
    regions: [
      { name: 'US', currency_code: 'usd', countries: ['us'], payment_providers: ['pp_system_default'] },
    ],
  });
  const [key] = await run(createApiKeysWorkflow, {
    api_keys: [{ type: 'secret', title: 'Switchboard', created_by: user.id }],
  });

  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const orders = [];
  for (let index = 0; index < count; index++) {
    const order = await run(createOrderWorkflow, {
      region_id: region.id,
      sales_channel_id: channel.id,
      email: `Buyer${index}@example.test`,
      currency_code: 'usd',
      status: 'pending',
      shipping_address: {
        first_name: 'Ada',
        last_name: `Buyer ${index}`,
        address_1: '1 Street',
        city: 'New York',
        country_code: 'us',
        postal_code: '10001',
      },
      items: [
        {
          title: `Widget ${index}`,
          quantity: 2,
          unit_price: goodsOf(index) / 100,
          is_tax_inclusive: index % 3 === 1,
          requires_shipping: false,
          is_discountable: true,
          // Taxes and discounts that are no whole number of cents.
          ...(index % 3 > 0 && { tax_lines: [{ code: 'vat', rate: 8.875 }] }),
          ...(index % 4 === 1 && { adjustments: [{ code: 'ten', amount: 1.05 }] }),
        },
      ],
      shipping_methods: [{ name: 'Flat', amount: SHIPPING_CENTS / 100 }],
    });
    const { data } = await query.graph({ entity: 'order', fields: ['total'], filters: { id: order.id } });
    const amount = Math.round(Number(data[0].total) * 100) / 100;
    const collections = await run(createOrderPaymentCollectionWorkflow, { order_id: order.id, amount });
    const [collection] = [collections].flat();
    const paid = index % 5 !== 4;
    if (paid) {
      await run(markPaymentCollectionAsPaid, {
        order_id: order.id,
        payment_collection_id: collection.id,
        captured_by: user.id,
      });
    }
    orders.push({ id: order.id, number: String(order.display_id), totalCents: amount * 100, paid });
  }
  await ship(container, orders[9].id);
  process.stdout.write(`\nSEEDED ${JSON.stringify({ key: key.token, orders })}\n`);
};

/** One of the two widgets is on its way, as a fulfillment provider records it. */
async function ship(container, orderId) {
  const order = await container.resolve(Modules.ORDER).retrieveOrder(orderId, { relations: ['items'] });
  const [item] = order.items;
  const fulfillment = await container.resolve(Modules.FULFILLMENT).createFulfillment({
    location_id: 'sloc_web',
    provider_id: 'manual_manual',
    delivery_address: { country_code: 'us' },
    items: [{ title: item.title, sku: 'W', barcode: '', quantity: 1, line_item_id: item.id }],
    labels: [{ tracking_number: 'TRACK9', tracking_url: 'https://track.example/TRACK9', label_url: '#' }],
    order: {},
    shipped_at: new Date(),
  });
  await container.resolve(ContainerRegistrationKeys.LINK).create({
    [Modules.ORDER]: { order_id: orderId },
    [Modules.FULFILLMENT]: { fulfillment_id: fulfillment.id },
  });
}
