import { pickFields } from '../wire/exchange.js';

/** A business on Google, as the account that manages it lists it. */
export interface BusinessLocation {
  /** `accounts/{account}`. */
  readonly account: string;
  readonly id: string;
  readonly title: string;
  readonly address: { readonly addressLines: readonly string[]; readonly locality: string };
  readonly mapsUri: string;
}

export interface BusinessAccount {
  readonly name: string;
  readonly accountName: string;
  readonly type: 'PERSONAL' | 'LOCATION_GROUP';
}

export const ACCOUNTS: readonly BusinessAccount[] = [
  { name: 'accounts/104215', accountName: 'Alice', type: 'PERSONAL' },
  { name: 'accounts/993001', accountName: 'Alice’s bakeries', type: 'LOCATION_GROUP' },
];

export const LOCATIONS: readonly BusinessLocation[] = [
  {
    account: 'accounts/993001',
    id: '3225894654666374777',
    title: 'Alice’s Bakery',
    address: { addressLines: ['1 Mill Lane'], locality: 'Bath' },
    mapsUri: 'https://maps.google.com/maps?cid=11',
  },
  {
    account: 'accounts/993001',
    id: '3225894654666374778',
    title: 'Alice’s Bakery',
    address: { addressLines: ['20 Harbour Road'], locality: 'Bristol' },
    mapsUri: 'https://maps.google.com/maps?cid=12',
  },
  {
    account: 'accounts/104215',
    id: '5550001112223334445',
    title: 'Alice’s Kiln',
    address: { addressLines: ['The Old Forge'], locality: 'Wells' },
    mapsUri: 'https://maps.google.com/maps?cid=13',
  },
  // Accessible through both accounts.
  {
    account: 'accounts/993001',
    id: '5550001112223334445',
    title: 'Alice’s Kiln',
    address: { addressLines: ['The Old Forge'], locality: 'Wells' },
    mapsUri: 'https://maps.google.com/maps?cid=13',
  },
];

const FIELDS = ['name', 'title', 'storefrontAddress', 'metadata'];

/** The requested fields of a location; null for a mask that is empty or names an unknown field. */
export function presentLocation(location: BusinessLocation, readMask: string | null) {
  const asked = (readMask ?? '').split(',');
  if (!asked.every((field) => FIELDS.includes(field.split('.')[0] ?? ''))) return null;
  const all = {
    name: `locations/${location.id}`,
    title: location.title,
    storefrontAddress: { regionCode: 'GB', ...location.address },
    metadata: { mapsUri: location.mapsUri, hasVoiceOfMerchant: true, canOperateLocalPost: true },
  };
  return pickFields(
    all,
    asked.map((field) => field.split('.')[0] ?? ''),
  );
}
