/** Marks every call created here, so that no other module can construct one. */
const brand = Symbol('next call');

/** A complete call: an operation's name and its arguments as on the wire. */
export interface NextCall {
  readonly [brand]: true;
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const createCall = (operation: string, args: Readonly<Record<string, unknown>> = {}): NextCall => ({
  [brand]: true,
  operation,
  arguments: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)),
});

/**
 * Every call that a failure or an event may suggest. They are defined in one place because the domain has no
 * schemas: a test of the operations validates each of them against the schema of its operation.
 */
export const nextCall = {
  /** The same operation with changed arguments. */
  repeat: (operation: string, args: Readonly<Record<string, unknown>>) => createCall(operation, args),
  getMe: () => createCall('getMe'),
  listPlatforms: () => createCall('listPlatforms'),
  getPlatform: (id: string) => createCall('getPlatform', { id }),
  listProfiles: () => createCall('listProfiles'),
  getProfile: (id: string) => createCall('getProfile', { id }),
  getQueue: (id: string) => createCall('getQueue', { id }),
  startConnect: (args: StartConnectArguments) => createCall('startConnect', { ...args }),
  listConnections: (args: { profile_id?: string; platform?: string[] } = {}) =>
    createCall('listConnections', args),
  getConnection: (id: string) => createCall('getConnection', { id }),
  getPublishingOptions: (id: string) => createCall('getPublishingOptions', { id }),
  listPosts: () => createCall('listPosts'),
  getPost: (id: string) => createCall('getPost', { id }),
  recheckDelivery: (id: string, deliveryId: string) =>
    createCall('recheckDelivery', { id, delivery_id: deliveryId }),
  retryPost: (id: string, deliveryId: string) => createCall('retryPost', { id, delivery_ids: [deliveryId] }),
  listMedia: () => createCall('listMedia'),
  listOrders: () => createCall('listOrders'),
  getOrder: (orderId: string) => createCall('getOrder', { order_id: orderId }),
  quoteRefund: (orderId: string, fields: Readonly<Record<string, unknown>> = {}) =>
    createCall('quoteRefund', { order_id: orderId, ...fields }),
  listRefunds: (orderId?: string) => createCall('listRefunds', { order_id: orderId }),
  getRefund: (refundId: string) => createCall('getRefund', { refund_id: refundId }),
  recheckRefund: (refundId: string) => createCall('recheckRefund', { refund_id: refundId }),
  listApprovals: (args: { post_id: string } | { refund_id: string }) => createCall('listApprovals', args),
  listAttention: () => createCall('listAttention'),
  listKeys: () => createCall('listKeys'),
  getKey: (id: string) => createCall('getKey', { id }),
  listWebhooks: () => createCall('listWebhooks'),
  getWebhook: (id: string) => createCall('getWebhook', { id }),
  updateWebhook: (id: string) => createCall('updateWebhook', { id, disabled: false }),
  getWorkspace: () => createCall('getWorkspace'),
  getPlatformApp: (id: string, profileId?: string) =>
    createCall('getPlatformApp', { id, profile_id: profileId }),
};

type StartConnectArguments =
  | { readonly connection_id: string }
  | { readonly profile_id: string; readonly platform?: string };
