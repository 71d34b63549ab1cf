import { pickFields } from '../wire/exchange.js';

export const ACCOUNTS = [
  { name: 'accounts/104215', accountName: 'Alice', type: 'PERSONAL' },
  { name: 'accounts/993001', accountName: 'Alice’s bakeries', type: 'LOCATION_GROUP' },
];

/** `accounts/{account}` manages it. */
const KILN = {
  account: 'accounts/104215',
  id: '5550001112223334445',
  title: 'Alice’s Kiln',
  address: { addressLines: ['The Old Forge'], locality: 'Wells' },
  mapsUri: 'https://maps.google.com/maps?cid=13',
};

/** The businesses on Google as the accounts that manage them list them. */
export const LOCATIONS: readonly (typeof KILN)[] = [
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
  KILN,
  // Accessible through both accounts.
  { ...KILN, account: 'accounts/993001' },
];

const FIELDS = ['name', 'title', 'storefrontAddress', 'metadata'];

/** The requested fields of a location; null for a mask that is empty or names an unknown field. */
export function presentLocation(location: typeof KILN, readMask: string | null) {
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
