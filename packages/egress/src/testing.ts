/** Names that a hostile name server would resolve; they exist only in these tests. */
const hostileDnsRecords: Readonly<Record<string, readonly string[]>> = {
  'loop.example.com': ['127.0.0.1'],
  'loop6.example.com': ['::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'compatible.example.com': ['::127.0.0.1'],
  'translated.example.com': ['::ffff:0:7f00:1'],
  'nat64.example.com': ['64:ff9b::7f00:1'],
  'nat64local.example.com': ['64:ff9b:1::7f00:1'],
  'sixtofour.example.com': ['2002:7f00:1::'],
  'teredo.example.com': ['2001:0:7f00:1::'],
  'mixed.example.com': ['1.1.1.1', '127.0.0.1'],
  'mixed6.example.com': ['2606:4700:4700::1111', '::1'],
  'mixedlast.example.com': ['1.1.1.1', '9.9.9.9', '2606:4700:4700::1111', '10.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'zero.example.com': ['0.0.0.0'],
  'unspecified.example.com': ['::'],
  'zone.example.com': ['fe80::1%lo'],
  'nonsense.example.com': ['127.1'],
  'decimal.example.com': ['2130706433'],
  'empty.example.com': [],
};

/** Resolves names as that name server would. */
export const hostileResolver = async (host: string): Promise<readonly string[]> =>
  hostileDnsRecords[host] ?? Promise.reject(new Error(`no such name: ${host}`));

/** One address of every special-purpose block. */
const SPECIAL_V4 = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1'],
  ...['127.127.127.127', '127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...['192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255'],
];
const SPECIAL_V6 = [
  ...['::', '::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '0::1', '::2'],
  ...['100::1', '2001::1', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '4000::1', '5f00::1'],
  ...['fc00::1', 'fd00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::5efe:7f00:1', 'febf::1', 'fec0::1', 'ff02::1'],
  ...['ff0e::1', '64:ff9b:1::7f00:1', '2001:0:7f00:1::', 'fe80::1%25lo', '::1%25lo', '::1%25'],
];

const hex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** All notations of an IPv4 address that some parser accepts. */
function listNotations(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (byte: number) => `0${byte.toString(8)}`;
  const [high, low] = [hex([a, b]), hex([c, d])];
  const full = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  const circled = (text: string) =>
    text.replace(/\d/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit))));
  const escaped = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  return [
    ...[address, `${address}.`, `${address}..`, String(number), `${number}.`, `0x${number.toString(16)}`],
    ...[`0X${number.toString(16).toUpperCase()}`, `0${number.toString(8)}`, `000000${number.toString(8)}`],
    ...[bytes.map(octal).join('.'), bytes.map((byte) => `0000${octal(byte)}`).join('.')],
    bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
    bytes.map((byte) => `0x0000${byte.toString(16)}`).join('.'),
    ...[`0x${a.toString(16)}.${b}.${octal(c)}.${d}`, `${a}.${(b * 256 + c) * 256 + d}`],
    ...[`${a}.${b}.${c * 256 + d}`, `0x${a.toString(16)}.${(b * 256 + c) * 256 + d}`],
    ...[`${octal(a)}.${(b * 256 + c) * 256 + d}`, String(number + 2 ** 32)],
    ...[full(address), circled(address), escaped(address), address.replaceAll('.', '%2e')],
    ...['。', '．', '｡'].map((stop) => address.replaceAll('.', stop)),
    ...[`[::ffff:${address}]`, `[::ffff:${high}:${low}]`, `[0:0:0:0:0:ffff:${high}:${low}]`],
    ...[`[::FFFF:${address}]`, `[::${address}]`, `[::${high}:${low}]`, `[::ffff:0:${address}]`],
    ...[`[64:ff9b::${address}]`, `[64:ff9b::${high}:${low}]`, `[64:ff9b:1::${address}]`],
    ...[`[2002:${high}:${low}::]`, `[2002:${high}:${low}::1]`, `[::ffff:${address}%25lo]`],
    ...[`user@${address}`, `user:secret@${address}`, `www.example.com@${address}`],
    ...[`www.example.com%40@${address}`, `www.example.com:443@${address}`],
  ];
}

const LOCAL_NAMES = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'loc%61lhost',
    'a.localhost',
    'a.LocalHost.',
  ],
  ...['localhost.localdomain', 'ip6-localhost', 'printer.local', 'db.internal', 'metadata.google.internal'],
  ...['router.lan', 'nas.home', 'mail.corp', 'wiki.intranet', '1.0.0.127.in-addr.arpa', 'intranet', 'db'],
  ...['user@localhost', 'user:secret@localhost', 'www.example.com@localhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loc\u00adalhost'],
];

/**
 * Hosts that lead to this machine, its network or nowhere, in every notation. `own` are addresses of this
 * machine.
 */
export function privateHosts(own: readonly string[] = []): readonly string[] {
  const [v6, v4] = [own.filter((each) => each.includes(':')), own.filter((each) => !each.includes(':'))];
  const hosts = [
    ...['127.0.0.1', '169.254.169.254', '10.0.0.1', ...v4].flatMap(listNotations),
    ...SPECIAL_V4,
    ...SPECIAL_V4.map((address) => `[::ffff:${address}]`),
    ...[...SPECIAL_V6, ...v6].map((address) => `[${address}]`),
    ...['127.1', '127.0.1', '0', '0x0', '00000177.0.0.1', ...LOCAL_NAMES],
    ...Object.keys(hostileDnsRecords),
  ];
  return [...new Set(hosts)];
}

/**
 * These hosts as URLs at a port, and other URLs that a parser may take for one of them: well over three
 * hundred.
 */
export const privateUrls = (port: number, own: readonly string[] = []): readonly string[] => [
  ...privateHosts(own).flatMap((host) => ['http', 'https'].map((scheme) => `${scheme}://${host}:${port}/x`)),
  ...[`http:\\\\127.0.0.1:${port}\\x`, `http:/127.0.0.1:${port}/x`, `https:127.0.0.1:${port}/x`],
  ...[` http://127.0.0.1:${port}/x`, `http://127.0.0.1\t:${port}/x`, `ht\ntp://127.0.0.1:${port}/x`],
  ...[`HTTP://127.0.0.1:${port}/x`, `https://nowhere.invalid\\@127.0.0.1:${port}/x`],
  ...[`https://127.0.0.1:${port}\\@www.example.com/x`, `https://127.0.0.1:${port}#@www.example.com/`],
  ...[`https://127.0.0.1:${port}?@www.example.com/`, `https:///127.0.0.1:${port}/x`],
  ...[`ftp://127.0.0.1:${port}/x`, `ws://127.0.0.1:${port}/x`, `gopher://127.0.0.1:${port}/x`],
  ...['file:///etc/passwd', 'data:text/plain,x', 'javascript:1', `blob:http://127.0.0.1:${port}/x`],
  ...[`//127.0.0.1:${port}/x`, `127.0.0.1:${port}/x`, `unix:/var/run/docker.sock`, ''],
];
