import type { Account } from '../world.js';
import type { CurrencyCode } from './currency.js';

/** A shop, with the data of its seeded orders. */
export interface Shop extends Account {
  readonly domain: string;
  readonly email: string;
  readonly currency: CurrencyCode;
  readonly timezone: string;
  readonly firstNumber: number;
  readonly orderCount: number;
  readonly currencies: readonly (readonly [weight: number, currency: CurrencyCode])[];
  /** Prices in euros; other currencies are converted and rounded to plausible prices. */
  readonly products: readonly (readonly [sku: string, title: string, price: number])[];
}

export const SHOPS: readonly Shop[] = [
  {
    id: 'alder-oak',
    username: 'alder-oak',
    name: 'Alder & Oak',
    about: 'Furniture and things for the kitchen, from one workshop in the woods.',
    hues: [96, 40],
    createdAt: '2018-02-05T08:00:00.000Z',
    domain: 'alder-oak.example',
    email: 'hello@alder-oak.example',
    currency: 'EUR',
    timezone: 'Europe/Madrid',
    firstNumber: 1001,
    orderCount: 240,
    currencies: [
      [52, 'EUR'],
      [18, 'USD'],
      [16, 'GBP'],
      [8, 'JPY'],
      [6, 'KWD'],
    ],
    products: [
      ['BRD-OAK-L', 'Oak cutting board, large', 64],
      ['BRD-OAK-S', 'Oak cutting board, small', 38],
      ['STL-ALD', 'Three-legged stool, alder', 149],
      ['SPN-SET', 'Set of five cooking spoons', 42.5],
      ['SHF-WAL', 'Wall shelf with pegs', 89.9],
      ['BWL-ASH', 'Salad bowl, ash', 72],
      ['OIL-250', 'Board oil, 250 ml', 14.95],
      ['TBL-SID', 'Side table “Fjäll”', 320],
      ['CST-4', 'Coasters, set of four', 19.99],
    ],
  },
  {
    id: 'harbor-supply',
    username: 'harbor-supply',
    name: 'Harbor Supply Co.',
    about: 'Rope, lamps and dry clothes for people on the water.',
    hues: [210, 176],
    createdAt: '2016-07-19T08:00:00.000Z',
    domain: 'harbor-supply.example',
    email: 'crew@harbor-supply.example',
    currency: 'USD',
    timezone: 'America/New_York',
    firstNumber: 50_210,
    orderCount: 120,
    currencies: [
      [70, 'USD'],
      [18, 'GBP'],
      [12, 'EUR'],
    ],
    products: [
      ['ROPE-12', 'Mooring rope 12 mm, per 10 m', 28],
      ['LAMP-LED', 'Anchor lamp, LED', 54.5],
      ['JKT-OFF', 'Offshore jacket', 289],
      ['GLV-S', 'Sailing gloves', 31.99],
      ['BAG-60', 'Dry bag 60 l', 47],
      ['KNF-RIG', 'Rigging knife', 39.95],
      ['CHT-BLT', 'Chart of the Baltic, printed', 24.9],
    ],
  },
  {
    id: 'kumo-paper',
    username: 'kumo-paper',
    name: 'Kumo Paper 雲',
    about: 'Notebooks and inks, made slowly in Kanazawa.',
    hues: [268, 320],
    createdAt: '2020-11-11T08:00:00.000Z',
    domain: 'kumo-paper.example',
    email: 'desk@kumo-paper.example',
    currency: 'JPY',
    timezone: 'Asia/Tokyo',
    firstNumber: 301,
    orderCount: 80,
    currencies: [
      [60, 'JPY'],
      [16, 'KWD'],
      [14, 'USD'],
      [10, 'EUR'],
    ],
    products: [
      ['NB-A5-D', 'Notebook A5, dotted', 21],
      ['NB-A6-P', 'Notebook A6, plain', 13.5],
      ['INK-SUMI', 'Ink 墨 “Sumi”, 50 ml', 26],
      ['INK-AME', 'Ink 雨 “Ame”, 50 ml', 26],
      ['PEN-BR', 'Brass pen', 118],
      ['WSH-10', 'Washi sheets, ten', 17.8],
      ['CARD-6', 'Letterpress cards, six', 15.9],
    ],
  },
];
