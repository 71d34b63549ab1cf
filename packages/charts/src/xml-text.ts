/** Characters of XML 1.0 (https://www.w3.org/TR/xml/#charsets), without those that reverse the text beside them. */
const UNFIT =
  /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]|[\u{202a}-\u{202e}\u{2066}-\u{2069}]/gv;

export const toXmlText = (text: string): string =>
  text.toWellFormed().replace(UNFIT, '').replace(/\s+/g, ' ');

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
