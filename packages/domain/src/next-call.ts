/** On every call that is made here, so that none can be made elsewhere. */
const madeHere = Symbol('next call');

/** A call that can be made as it stands: an operation's name and its arguments as on the wire. */
export interface NextCall {
  readonly [madeHere]: true;
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const to = (operation: string, given: Readonly<Record<string, unknown>> = {}): NextCall => ({
  [madeHere]: true,
  operation,
  arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

/**
 * Every call that a failure or an event may tell somebody to make. They stand in one place because the domain knows no
 * schemas: a test of the operations holds each of these against what it is sent to.
 */
export const nextCall = {
  /** What was asked, with other arguments that it takes as well. */
  again: (operation: string, given: Readonly<Record<string, unknown>>) => to(operation, given),
  getMe: () => to('getMe'),
  listPlatforms: () => to('listPlatforms'),
  getPlatform: (id: string) => to('getPlatform', { id }),
  listProfiles: () => to('listProfiles'),
  getProfile: (id: string) => to('getProfile', { id }),
  startConnect: (given: StartConnectGiven) => to('startConnect', { ...given }),
  listConnections: (given: { profile_id?: string; platform?: string[] } = {}) => to('listConnections', given),
  getConnection: (id: string) => to('getConnection', { id }),
  getPublishingOptions: (id: string) => to('getPublishingOptions', { id }),
  listPosts: () => to('listPosts'),
  getPost: (id: string) => to('getPost', { id }),
  recheckDelivery: (id: string, deliveryId: string) => to('recheckDelivery', { id, delivery_id: deliveryId }),
  listMedia: () => to('listMedia'),
  listOrders: () => to('listOrders'),
  getOrder: (orderId: string) => to('getOrder', { order_id: orderId }),
  quoteRefund: (orderId: string, fields: Readonly<Record<string, unknown>> = {}) =>
    to('quoteRefund', { order_id: orderId, ...fields }),
  listRefunds: (orderId?: string) => to('listRefunds', { order_id: orderId }),
  getRefund: (refundId: string) => to('getRefund', { refund_id: refundId }),
  recheckRefund: (refundId: string) => to('recheckRefund', { refund_id: refundId }),
  listKeys: () => to('listKeys'),
  getKey: (id: string) => to('getKey', { id }),
  getWorkspace: () => to('getWorkspace'),
  getPlatformApp: (id: string, profileId?: string) => to('getPlatformApp', { id, profile_id: profileId }),
};

type StartConnectGiven =
  { readonly connection_id: string } | { readonly profile_id: string; readonly platform?: string };
