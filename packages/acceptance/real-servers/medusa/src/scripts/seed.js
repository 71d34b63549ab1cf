// Creates orders with payments through Medusa's own workflows, and a secret key. Prints one line of JSON.
const { Modules } = require('@medusajs/framework/utils');
const {
  createApiKeysWorkflow,
  createOrderPaymentCollectionWorkflow,
  createOrderWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  markPaymentCollectionAsPaid,
} = require('@medusajs/medusa/core-flows');

/** The items of one order, in cents. */
const goodsOf = (index) => 1050 + 100 * index;
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
          is_tax_inclusive: false,
          requires_shipping: false,
          is_discountable: false,
        },
      ],
      shipping_methods: [{ name: 'Flat', amount: SHIPPING_CENTS / 100 }],
    });
    const amount = (goodsOf(index) * 2 + SHIPPING_CENTS) / 100;
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
  process.stdout.write(`\nSEEDED ${JSON.stringify({ key: key.token, orders })}\n`);
};
