// The configuration of a Vendure server in memory, with a payment method that a test can make fail.
const {
  DefaultLogger,
  dummyPaymentHandler,
  LanguageCode,
  LogLevel,
  PaymentMethodHandler,
} = require('@vendure/core');

const description = [{ languageCode: LanguageCode.en, value: 'Test card' }];

/** Captures at once. A refund whose amount ends in 13 is declined. */
const testCard = new PaymentMethodHandler({
  code: 'testcard',
  description,
  args: {},
  createPayment: (_context, order, amount) => ({
    amount,
    state: 'Settled',
    transactionId: `ch_${order.code}`,
    metadata: {},
  }),
  settlePayment: () => ({ success: true }),
  createRefund: (_context, _input, amount) =>
    amount % 100 === 13
      ? { state: 'Failed', transactionId: 'rf_declined', metadata: { error: 'declined' } }
      : { state: 'Settled', transactionId: `rf_${amount}`, metadata: {} },
});

exports.configOf = (port) => ({
  apiOptions: { port, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: ['bearer', 'api-key'],
    superadminCredentials: { identifier: 'superadmin', password: 'only-for-tests' },
    cookieOptions: { secret: 'only-for-tests' },
    requireVerification: false,
  },
  dbConnectionOptions: { type: 'better-sqlite3', database: ':memory:', synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [testCard, dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
  plugins: [],
});
