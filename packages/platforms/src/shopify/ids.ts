type ResourceType = 'Order' | 'LineItem' | 'Location' | 'OrderTransaction';

/** `5521` as the API names it. What is no number is sent as it is, and refused there. */
export const globalId = (thing: ResourceType, id: string): string =>
  id.startsWith('gid://') ? id : `gid://shopify/${thing}/${id}`;

/** The number that people see in addresses: `gid://shopify/Order/5521` is `5521`. */
export const numberOf = (globalId: string): string => globalId.slice(globalId.lastIndexOf('/') + 1);
