import { request } from 'node:http';

export interface Visit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * The state that a browser stores and sends: cookies for each host name. It follows no redirects, so that a
 * test can check each.
 */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Visit> {
    return this.#send('GET', url, headers, null);
  }

  post(
    url: string,
    form: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visit> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send('POST', url, { ...type, ...headers }, new URLSearchParams(form).toString());
  }

  send(method: string, url: string): Promise<Visit> {
    return this.#send(method, url, {}, null);
  }

  cookies(url: string): ReadonlyMap<string, string> {
    return this.#cookies.get(new URL(url).hostname) ?? new Map<string, string>();
  }

  #send(method: string, url: string, headers: Readonly<Record<string, string>>, body: string | null) {
    const { hostname } = new URL(url);
    const jar = this.#cookies.get(hostname) ?? new Map<string, string>();
    this.#cookies.set(hostname, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return new Promise<Visit>((resolve, reject) => {
      const outgoing = request(
        url,
        { method, agent: false, headers: { ...(cookie !== '' && { cookie }), ...headers } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            for (const line of incoming.headers['set-cookie'] ?? []) {
              const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
              jar.set(name, value);
            }
            resolve({
              status: incoming.statusCode ?? 0,
              headers: Object.fromEntries(
                Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join('\n')]),
              ),
              text: Buffer.concat(chunks).toString('utf8'),
            });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body ?? undefined);
    });
  }
}

export function formFields(text: string, action: RegExp): Record<string, string> {
  const forms = text.match(/<form[^]*?<\/form>/g) ?? [];
  const form = forms.find((one) => action.test(/action="([^"]*)"/.exec(one)?.[1] ?? ''));
  if (form === undefined) throw new Error(`no form submits to ${action.source}`);
  return Object.fromEntries(
    [...form.matchAll(/<input[^>]*>/g)]
      .filter(([input]) => !isUnticked(input))
      .map(([input]) => [
        / name="([^"]*)"/.exec(input.replace(/\s+/g, ' '))?.[1] ?? '',
        / value="([^"]*)"/.exec(input.replace(/\s+/g, ' '))?.[1] ?? '',
      ]),
  );
}

const isUnticked = (input: string) => /type="(radio|checkbox)"/.test(input) && !/\schecked\b/.test(input);
