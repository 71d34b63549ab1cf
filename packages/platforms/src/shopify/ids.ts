type ResourceType = 'Order' | 'Fulfillment' | 'LineItem' | 'Location' | 'OrderTransaction';

/** `5521` in the API's format. An ID that is not a number is sent unchanged, and refused there. */
export const globalId = (thing: ResourceType, id: string): string =>
  id.startsWith('gid://') ? id : `gid://shopify/${thing}/${id}`;

/** The number in public URLs: `gid://shopify/Order/5521` is `5521`. */
export const numberOf = (globalId: string): string => globalId.slice(globalId.lastIndexOf('/') + 1);
