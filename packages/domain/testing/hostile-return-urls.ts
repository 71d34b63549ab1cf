/** The allow-list for the following URLs. */
export const allowedReturnUrls: readonly string[] = [
  'https://app.example/done',
  'https://other.example',
  'https://app.example/with?a=1',
];

/** URLs that lead elsewhere, or are ambiguous. */
export const hostileReturnUrls: readonly string[] = listVariants();

function listVariants(): readonly string[] {
  const hosts = [
    'evil.example',
    'app.example.evil.example',
    'evilapp.example',
    'app.example@evil.example',
    'app.example:443@evil.example',
    'app.example%40evil.example',
    'app.example%2eevil.example',
    'app.example.',
    'app.example:8443',
    'app.example:80',
    'аpp.example',
    'app。example',
    'ａｐｐ.example',
    'xn--pp-8ed.example',
    'app.example%00.evil.example',
    'app.example\\evil.example',
    'app.example#@evil.example',
    'app.example?@evil.example',
    'user@app.example',
    'user:pass@app.example',
    ':@app.example',
    '[::1]',
    '127.0.0.1',
    'localhost',
    '0x7f.1',
    '2130706433',
    '169.254.169.254',
    'APP.example',
    'app.eXample',
    'sub.app.example',
  ];
  const starts = ['https://', 'http://', '//', 'https:', 'https:/', 'https:///', '\\\\', '/\\'];
  const paths = [
    '/done/',
    '/done//',
    '/done?x=1',
    '/done#x',
    '/done;x',
    '/done%2f',
    '/done%00',
    '/done/..',
    '/x/../done',
    '/x/%2e%2e/done',
    '/./done',
    '/%2e/done',
    '//done',
    '/\\done',
    '/Done',
    '/done ',
    '/done\t',
    '/do\nne',
    '/done\r\nX: 1',
    '/done?',
    '/done#',
    '/with?a=1&b=2',
    '/with?a=2',
    '/with?a=%31',
    '/with',
    '',
    '/',
  ];
  const schemes = [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'about:blank',
    'blob:x',
  ];
  const hidden = ['\u0000', '\t', '\n', '\r', ' ', '\u000b', '\u00a0', '\u200b', '\ufeff', '\u202e'];
  return [
    ...starts.flatMap((start) => hosts.map((host) => `${start}${host}/done`)),
    ...paths.map((path) => `https://app.example${path}`),
    ...schemes,
    ...schemes.map((scheme) => scheme.toUpperCase()),
    ...hidden.flatMap((mark) => [
      `${mark}https://app.example/done`,
      `https:${mark}//app.example/done`,
      `https://app${mark}.example/done`,
    ]),
    `https:app.example/done`,
    `HTTPS://app.example/done`,
    '',
    'done',
    '/done',
    '?x',
    '#',
  ];
}
