// Seeds an empty Vendure server through its two APIs: a product, orders with payments, and two API keys.

const en = (name) => [{ languageCode: 'en', name, description: '' }];

/** Creates a client for one of the two APIs that keeps the session it receives. */
function lineTo(url) {
  let token = null;
  return async (query, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    token = response.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = await response.json();
    if (errors) throw new Error(`${query}\n${JSON.stringify(errors)}`);
    return data;
  };
}

async function openStore(admin) {
  const { activeChannel } = await admin('query { activeChannel { id } }');
  const { createCountry: country } = await admin(
    'mutation ($i: CreateCountryInput!) { createCountry(input: $i) { id } }',
    { i: { code: 'US', enabled: true, translations: [{ languageCode: 'en', name: 'US' }] } },
  );
  const { createZone: zone } = await admin(
    'mutation ($i: CreateZoneInput!) { createZone(input: $i) { id } }',
    {
      i: { name: 'US', memberIds: [country.id] },
    },
  );
  await admin('mutation ($i: UpdateChannelInput!) { updateChannel(input: $i) { __typename } }', {
    i: {
      id: activeChannel.id,
      defaultTaxZoneId: zone.id,
      defaultShippingZoneId: zone.id,
      pricesIncludeTax: true,
    },
  });
  const { createTaxCategory: tax } = await admin(
    'mutation { createTaxCategory(input: { name: "standard", isDefault: true }) { id } }',
  );
  await admin('mutation ($i: CreateTaxRateInput!) { createTaxRate(input: $i) { id } }', {
    i: { name: 'VAT', enabled: true, value: 19, categoryId: tax.id, zoneId: zone.id },
  });
  const argument = (name, value) => ({ name, value });
  // A discount on the whole order, which is not a whole number of cents for each line.
  await admin(
    'mutation ($i: CreatePromotionInput!) { createPromotion(input: $i) { __typename ... on ErrorResult { message } } }',
    {
      i: {
        enabled: true,
        translations: en('Seven percent'),
        conditions: [
          {
            code: 'minimum_order_amount',
            arguments: [argument('amount', '3000'), argument('taxInclusive', 'true')],
          },
        ],
        actions: [{ code: 'order_percentage_discount', arguments: [argument('discount', '7')] }],
      },
    },
  );
  await admin('mutation ($i: CreateShippingMethodInput!) { createShippingMethod(input: $i) { id } }', {
    i: {
      code: 'flat',
      fulfillmentHandler: 'manual-fulfillment',
      checker: { code: 'default-shipping-eligibility-checker', arguments: [argument('orderMinimum', '0')] },
      calculator: {
        code: 'default-shipping-calculator',
        arguments: [argument('rate', '499'), argument('taxRate', '19'), argument('includesTax', 'auto')],
      },
      translations: en('Flat'),
    },
  });
  const handlers = [
    { code: 'testcard', arguments: [] },
    { code: 'dummy-payment-handler', arguments: [argument('automaticSettle', 'true')] },
  ];
  for (const handler of handlers) {
    await admin('mutation ($i: CreatePaymentMethodInput!) { createPaymentMethod(input: $i) { id } }', {
      i: { code: handler.code, enabled: true, handler, translations: en(handler.code) },
    });
  }
  const variants = [];
  for (const [at, price] of [1050, 333].entries()) {
    const name = `Widget ${at + 1}`;
    const translations = [{ languageCode: 'en', name, slug: `widget-${at + 1}`, description: '' }];
    const { createProduct: product } = await admin(
      'mutation ($i: CreateProductInput!) { createProduct(input: $i) { id } }',
      { i: { enabled: true, translations } },
    );
    const variant = {
      productId: product.id,
      sku: `W${at + 1}`,
      price,
      taxCategoryId: tax.id,
      stockOnHand: 100_000,
      trackInventory: 'FALSE',
      translations: [{ languageCode: 'en', name }],
    };
    const { createProductVariants: created } = await admin(
      'mutation ($i: [CreateProductVariantInput!]!) { createProductVariants(input: $i) { id } }',
      { i: [variant] },
    );
    variants.push(...created.map(({ id }) => id));
  }
  return variants;
}

/** Creates a customer who buys and pays in a separate session. */
async function buy(url, variants, index) {
  const shop = lineTo(`${url}/shop-api`);
  for (const v of index % 2 === 0 ? variants.slice(0, 1) : variants)
    await shop(
      'mutation ($v: ID!, $q: Int!) { addItemToOrder(productVariantId: $v, quantity: $q) { __typename } }',
      { v, q: 1 + (index % 3) },
    );
  await shop('mutation ($i: CreateCustomerInput!) { setCustomerForOrder(input: $i) { __typename } }', {
    i: { firstName: 'Ada', lastName: `Buyer ${index}`, emailAddress: `Buyer${index}@example.test` },
  });
  await shop(
    'mutation { setOrderShippingAddress(input: { streetLine1: "1 Street", city: "New York", postalCode: "10001", countryCode: "US" }) { __typename } }',
  );
  const { eligibleShippingMethods: methods } = await shop('query { eligibleShippingMethods { id } }');
  await shop('mutation ($m: [ID!]!) { setOrderShippingMethod(shippingMethodId: $m) { __typename } }', {
    m: [methods[0].id],
  });
  await shop('mutation { transitionOrderToState(state: "ArrangingPayment") { __typename } }');
  const method = index % 5 === 4 ? 'dummy-payment-handler' : 'testcard';
  const { addPaymentToOrder: order } = await shop(
    'mutation ($m: String!) { addPaymentToOrder(input: { method: $m, metadata: {} }) { __typename ... on Order { id code state totalWithTax } ... on ErrorResult { message } } }',
    { m: method },
  );
  if (order.__typename !== 'Order') throw new Error(order.message);
  return { id: order.id, number: order.code, totalCents: order.totalWithTax, method };
}

async function keyWith(admin, permissions) {
  const { createRole: role } = await admin(
    'mutation ($i: CreateRoleInput!) { createRole(input: $i) { id } }',
    {
      i: { code: `role-${permissions.join('-') || 'none'}`, description: 'for tests', permissions },
    },
  );
  const { createApiKey: made } = await admin(
    'mutation ($i: CreateApiKeyInput!) { createApiKey(input: $i) { apiKey } }',
    { i: { roleIds: [role.id], translations: [{ languageCode: 'en', name: 'Switchboard' }] } },
  );
  return made.apiKey;
}

export async function seed(url, count) {
  const admin = lineTo(`${url}/admin-api`);
  await admin('mutation { login(username: "superadmin", password: "only-for-tests") { __typename } }');
  const variants = await openStore(admin);
  const orders = [];
  for (let index = 0; index < count; index++) orders.push(await buy(url, variants, index));
  return {
    key: await keyWith(admin, ['ReadOrder', 'UpdateOrder']),
    readingKey: await keyWith(admin, ['ReadOrder']),
    orders,
  };
}
