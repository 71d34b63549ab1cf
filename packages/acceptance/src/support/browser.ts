import { request as sendHttp } from 'undici';
import { toHeaders } from './rest-client.js';

export interface PageVisit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Browser {
  /** Follows no redirects but those to the page of a connect link, where each login and form leads. */
  get(url: string): Promise<PageVisit>;
  post(url: string, fields: Readonly<Record<string, string>>): Promise<PageVisit>;
  /** The cookie header that the browser sends to this URL. */
  cookie(url: string): string;
}

/**
 * The parts of a browser that a hosted flow needs: cookies by host name and port, and forms. `heard` collects
 * everything that it received.
 */
export function openBrowser(transcript: string[] = []): Browser {
  const cookieJars = new Map<string, Map<string, string>>();
  const getJar = (url: string) => {
    const { host } = new URL(url);
    const jar = cookieJars.get(host) ?? new Map<string, string>();
    cookieJars.set(host, jar);
    return jar;
  };
  const cookieFor = (url: string) => [...getJar(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (url: string, form?: URLSearchParams): Promise<PageVisit> => {
    const jar = getJar(url);
    const cookie = cookieFor(url);
    const response = await sendHttp(url, {
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
        accept: 'text/html',
      },
      ...(form && { method: 'POST', body: form.toString() }),
    });
    const headers = toHeaders(response.headers);
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const text = await response.body.text();
    transcript.push(JSON.stringify([...headers]), text);
    const location = headers.get('location') ?? '';
    if (location.startsWith('/connect/')) return send(new URL(location, url).href);
    return { url, status: response.statusCode, headers, text };
  };
  return {
    get: (url) => send(url),
    post: (url, fields) => send(url, new URLSearchParams(fields)),
    cookie: cookieFor,
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
};

const decode = (markup: string) =>
  markup.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (whole, name: string) => ENTITIES[name] ?? whole);

export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The forms of a page with their current values. */
export function parseForms(page: PageVisit): readonly Form[] {
  return [...page.text.matchAll(/<form[^>]*>[^]*?<\/form>/g)].map(([form]) => {
    const attribute = (tag: string, name: string) =>
      decode(new RegExp(`\\s${name}\\s*=\\s*"([^"]*)"`).exec(tag)?.[1] ?? '');
    const [opening = ''] = /<form[^>]*>/.exec(form) ?? [];
    const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => input);
    const sent = inputs.filter(
      (input) => !/type\s*=\s*"(radio|checkbox)"/.test(input) || /\schecked\b/.test(input),
    );
    return {
      action: new URL(attribute(opening, 'action'), page.url).href,
      fields: Object.fromEntries(sent.map((input) => [attribute(input, 'name'), attribute(input, 'value')])),
    };
  });
}

/** The matching form; fails with the page text when there is none. */
export function findForm(page: PageVisit, matches: (form: Form) => boolean): Form {
  const form = parseForms(page).find(matches);
  if (!form)
    throw new Error(`The page ${page.url} (${page.status}) has no such form:\n${page.text.slice(0, 3000)}`);
  return form;
}
