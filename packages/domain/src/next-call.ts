/** On every call that is made here, so that none can be made elsewhere. */
const brand = Symbol('next call');

/** A call that can be made as it stands: an operation's name and its arguments as on the wire. */
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
 * Every call that a failure or an event may tell somebody to make. They stand in one place because the domain knows no
 * schemas: a test of the operations holds each of these against what it is sent to.
 */
export const nextCall = {
  /** What was asked, with other arguments that it takes as well. */
  repeat: (operation: string, args: Readonly<Record<string, unknown>>) => createCall(operation, args),
  getMe: () => createCall('getMe'),
  listPlatforms: () => createCall('listPlatforms'),
  getPlatform: (id: string) => createCall('getPlatform', { id }),
  listProfiles: () => createCall('listProfiles'),
  getProfile: (id: string) => createCall('getProfile', { id }),
  startConnect: (args: StartConnectArguments) => createCall('startConnect', { ...args }),
  listConnections: (args: { profile_id?: string; platform?: string[] } = {}) =>
    createCall('listConnections', args),
  getConnection: (id: string) => createCall('getConnection', { id }),
  getPublishingOptions: (id: string) => createCall('getPublishingOptions', { id }),
  listPosts: () => createCall('listPosts'),
  getPost: (id: string) => createCall('getPost', { id }),
  recheckDelivery: (id: string, deliveryId: string) =>
    createCall('recheckDelivery', { id, delivery_id: deliveryId }),
  listMedia: () => createCall('listMedia'),
  listOrders: () => createCall('listOrders'),
  getOrder: (orderId: string) => createCall('getOrder', { order_id: orderId }),
  quoteRefund: (orderId: string, fields: Readonly<Record<string, unknown>> = {}) =>
    createCall('quoteRefund', { order_id: orderId, ...fields }),
  listRefunds: (orderId?: string) => createCall('listRefunds', { order_id: orderId }),
  getRefund: (refundId: string) => createCall('getRefund', { refund_id: refundId }),
  recheckRefund: (refundId: string) => createCall('recheckRefund', { refund_id: refundId }),
  listKeys: () => createCall('listKeys'),
  getKey: (id: string) => createCall('getKey', { id }),
  getWorkspace: () => createCall('getWorkspace'),
  getPlatformApp: (id: string, profileId?: string) =>
    createCall('getPlatformApp', { id, profile_id: profileId }),
};

type StartConnectArguments =
  { readonly connection_id: string } | { readonly profile_id: string; readonly platform?: string };
