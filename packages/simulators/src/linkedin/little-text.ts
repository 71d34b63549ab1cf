const RESERVED = new Set('\\|{}@[]()<>#*_~');

/**
 * Parses `little` as documented: text, `@[Name](urn)`, `#tag` and `{hashtag|\#|tag}`. A reserved character
 * that is neither escaped nor part of one of these truncates the text silently. Returns the visible text, and
 * LinkedIn's stored form.
 */
export function parseLittleText(text: string) {
  let [shown, stored, at] = ['', '', 0];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = new RegExp(pattern, 'suy');
    match.lastIndex = at;
    const found = match.exec(text);
    if (found) at += found[0].length;
    return found;
  };
  const say = (seen: string, kept: string) => {
    shown += seen;
    stored += kept;
  };
  while (at < text.length) {
    const escaped = take(/\\([\\|{}@[\]()<>#*_~])/);
    const template = escaped ?? take(/\{hashtag\|\\?#\|((?:\\.|[\p{L}\p{N}])+)\}/u);
    const mention = template ?? take(/@\[((?:\\.|[^\]\\])+)\]\((urn:li:(?:person|organization):[\w-]+)\)/);
    const tag = mention ?? take(/#([\p{L}\p{N}]+)/u);
    if (escaped) say(escaped[1] ?? '', escaped[0]);
    else if (template) say(`#${unescaped(template[1] ?? '')}`, template[0]);
    else if (mention) say(unescaped(mention[1] ?? ''), mention[0]);
    else if (tag) say(`#${tag[1]}`, `{hashtag|\\#|${tag[1]}}`);
    else {
      const one = String.fromCodePoint(text.codePointAt(at) ?? 0);
      if (RESERVED.has(one)) break;
      say(one, one);
      at += one.length;
    }
  }
  return { shown, stored };
}

const unescaped = (text: string): string => text.replace(/\\(.)/gsu, '$1');
