import type { Random } from '../random.js';
import type { CurrencyCode } from './currency.js';

type NameEntry = readonly [name: string, mailbox: string];

const NAMES: Readonly<Record<CurrencyCode, readonly NameEntry[]>> = {
  EUR: [
    ['Ana Ruiz', 'ana.ruiz'],
    ['José Álvarez', 'jose.alvarez'],
    ['Zoë Müller', 'Zoe.Mueller'],
    ['Luca Bianchi', 'luca'],
    ['Siobhán O’Brien', 'siobhan.obrien'],
    ['Maëlle Lefèvre', 'maelle.lefevre'],
    ['Jan van der Berg', 'jan.vdberg'],
    ['Łukasz Wójcik', 'LWojcik'],
    ['Ingrid Søndergård', 'ingrid.s'],
  ],
  USD: [
    ['Grace Kim', 'grace.kim'],
    ['Marcus Johnson', 'marcus.johnson'],
    ['Renée Dubois', 'RDubois'],
    ['Thi Mai Nguyễn', 'mai.nguyen'],
    ['Aaliyah Brown', 'aaliyah'],
    ['Walter Whitfield III', 'w.whitfield'],
  ],
  GBP: [
    ['Oliver Hughes', 'oliver.hughes'],
    ['Priya Nair', 'priya.nair'],
    ['Fiona MacLeod', 'Fiona.MacLeod'],
    ['Rhys ap Gwilym', 'rhys'],
  ],
  JPY: [
    ['佐藤 花子', 'hanako.sato'],
    ['田中 健', 'ken.tanaka'],
    ['Emi Yamamoto', 'Emi.Yamamoto'],
    ['小林 葵', 'aoi.k'],
  ],
  KWD: [
    ['فاطمة الصباح', 'fatima.alsabah'],
    ['Yousef Al-Mutairi', 'Yousef.AlMutairi'],
    ['نورة العنزي', 'noura'],
  ],
};

type PlaceEntry = readonly [
  line1: string,
  city: string,
  region: string | null,
  postalCode: string,
  country: string,
];

const PLACES: Readonly<Record<CurrencyCode, readonly PlaceEntry[]>> = {
  EUR: [
    ['Calle de Serrano 41', 'Madrid', null, '28001', 'ES'],
    ['Torstraße 9', 'Berlin', null, '10119', 'DE'],
    ['Rue Oberkampf 112', 'Paris', null, '75011', 'FR'],
    ['Capel Street 77', 'Dublin', null, 'D01 XY12', 'IE'],
    ['Via Zamboni 20', 'Bologna', 'BO', '40126', 'IT'],
  ],
  USD: [
    ['218 Commercial St', 'Portland', 'ME', '04101', 'US'],
    ['77 Bedford Ave Apt 4B', 'Brooklyn', 'NY', '11211', 'US'],
    ['1450 Harbor Blvd', 'Oakland', 'CA', '94607', 'US'],
  ],
  GBP: [
    ['14 Broughton Street', 'Edinburgh', null, 'EH1 3RH', 'GB'],
    ['3 Quay Road', 'Falmouth', null, 'TR11 3LG', 'GB'],
  ],
  JPY: [
    ['東山1-13-7', '金沢市', '石川県', '920-0831', 'JP'],
    ['3-5-8 Jingumae', 'Shibuya', 'Tokyo', '150-0001', 'JP'],
  ],
  KWD: [['Block 3, Street 12, House 8', 'Salmiya', 'Hawalli', '22003', 'KW']],
};

export function somePerson(random: Random, currency: CurrencyCode) {
  const [name, mailbox] = random.pick(NAMES[currency]);
  // `example` domains are reserved (RFC 2606), so no email can reach a real person.
  const email = `${mailbox}@${random.pick(['example.com', 'mail.example', 'Example.org'])}`;
  return { name, email, phone: random.chance(0.4) ? `+1 555 01${random.int(10, 99)}` : null };
}

export type Person = ReturnType<typeof somePerson>;

export function addressOf(random: Random, person: Person, currency: CurrencyCode) {
  const [line1, city, region, postalCode, country] = random.pick(PLACES[currency]);
  const line2 = random.chance(0.2)
    ? random.pick(['2º izq.', 'c/o Neighbour', 'Unit 3', 'Back door, please'])
    : null;
  return {
    name: person.name,
    phone: person.phone,
    line1,
    line2,
    city,
    region,
    postal_code: postalCode,
    country,
  };
}
