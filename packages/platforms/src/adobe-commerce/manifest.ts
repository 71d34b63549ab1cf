import type { Manifest } from '@switchboard/platform-kit';
import {
  keyLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

const store = {
  name: 'store',
  label: 'Address of the store',
  hint: 'Where its REST API is located: usually the shop’s own address. A path such as /rest/default may follow.',
  kind: 'store_url',
  required: true,
  placeholder: 'https://shop.example',
} as const;

export const manifest: Manifest = {
  ...storePlatform,
  id: 'adobe_commerce',
  name: 'Adobe Commerce',
  connect: [
    keyLogin({
      id: 'integration',
      label: 'Connect with an integration’s keys',
      fields: [
        store,
        requiredField(
          'key',
          'consumer_key',
          'Consumer key',
          'In the admin: System, Extensions, Integrations. Add one, grant it the resources named below, activate it, and copy the four keys.',
        ),
        requiredField('password', 'consumer_secret', 'Consumer secret', 'The second of the four.'),
        requiredField('password', 'access_token', 'Access token', 'The third of the four.'),
        requiredField('password', 'access_token_secret', 'Access token secret', 'The last of the four.'),
      ],
      keyForm: {
        serverField: 'store',
        send: {
          kind: 'oauth1',
          keyField: 'consumer_key',
          secretField: 'consumer_secret',
          tokenField: 'access_token',
          tokenSecretField: 'access_token_secret',
        },
      },
    }),
    keyLogin({
      id: 'access_token',
      label: 'Connect with an access token only',
      fields: [
        store,
        requiredField(
          'password',
          'access_token',
          'Access token of an integration',
          'Since version 2.4.4 an access token works on its own only if Stores, Configuration, Services, OAuth, Consumer Settings allows “OAuth Access Tokens to be used as standalone Bearer tokens”.',
        ),
      ],
      keyForm: { serverField: 'store', send: { kind: 'bearer', field: 'access_token' } },
    }),
  ],
  permissions: {
    orders: [
      'Magento_Backend::store',
      'Magento_Sales::actions_view',
      'Magento_Sales::sales_invoice',
      'Magento_Sales::sales_creditmemo',
    ],
    refunds: ['Magento_Sales::sales_invoice', 'Magento_Sales::creditmemo'],
  },
  refunds: {
    ...plainRefunds,
    lines: true,
    shipping: true,
    restock: true,
    restockByLine: true,
    notifyCustomer: true,
    offline: true,
    settlesLater: true,
  },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'The integration needs these resources: Sales, Operations, Orders with View and Credit Memos, then Invoices and Credit Memos, and under Stores the store configuration (Magento_Backend::store). With Shipments (Magento_Sales::shipment) orders have their shipments too.',
      'Version 2.4.4 and newer refuse an access token on its own. Connect with all four keys, or allow it in Stores, Configuration, Services, OAuth, Consumer Settings.',
      'Orders are shown in the store’s base currency, the currency of its payments and refunds, even if the shopper saw another one.',
      'Magento sends money back only for an invoice that was captured online with a payment method that supports refunds. Every other refund is only recorded.',
      'Magento contacts the payment provider before it records a refund. If Magento reports that it could not save a credit memo, check with the provider whether money moved.',
      'Orders with gift cards, store credit, reward points, gift wrapping or custom fees can only be refunded in the admin: the amount Magento would refund cannot be predicted.',
      'Orders with a fixed product tax are refunded by amount or in full, not by line.',
      'Where “Automatically Return Credit Memo Item to Stock” is on, Magento restocks every item of a refund, requested or not.',
      'Refunds of an amount need version 2.4.2 or newer once all shipping is refunded; older versions refuse a credit memo without products.',
      'Adobe Commerce as a Cloud Service uses Adobe’s identity service for login and is not supported.',
    ],
  },
  baseUrl: null,
  // The ID is the store's URL, as the store reports it.
  accountIds: 'global',
  authBaseUrl: null,
  apiVersion: 'V1',
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developer.adobe.com/commerce/webapi/rest/',
};
