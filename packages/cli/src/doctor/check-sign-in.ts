import { probePublicUrl, type Config, type Probe } from '@switchboard/bootstrap';
import { describeProtectedResource, protectedResourceUrl } from '@switchboard/operations';
import { failedCheck, passedCheck, warnedCheck, type Check } from './check.js';

const NAME = 'sign-in';
const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * What MCP clients that sign in by OAuth need: addresses that they reach over https, where REST and MCP respond
 * with documents that name each other. No installation has to offer it, so that only a wrong document is a
 * problem.
 */
export async function checkSignIn({ publicUrl, mcpPublicUrl }: Config): Promise<readonly Check[]> {
  const addresses = [
    { variable: 'SWITCHBOARD_PUBLIC_URL', url: new URL(publicUrl) },
    { variable: 'SWITCHBOARD_MCP_PUBLIC_URL', url: new URL(mcpPublicUrl) },
  ];
  const local = addresses.filter(({ url }) => LOOPBACK.includes(url.hostname));
  const insecure = addresses.filter((one) => local.includes(one) || one.url.protocol !== 'https:');
  const isLocal = local.length === addresses.length;
  const settings = { publicUrl, mcpUrl: `${mcpPublicUrl}/mcp` };
  const { resource, authorization_servers } = describeProtectedResource(settings);
  const documents = await Promise.all([
    checkDocument('REST', `${publicUrl}/.well-known/oauth-authorization-server`, { issuer: publicUrl }),
    checkDocument('MCP', protectedResourceUrl(settings), { resource, authorization_servers }),
  ]);
  return [
    isLocal || insecure.length === 0
      ? passedCheck(
          NAME,
          isLocal ? 'for MCP clients on this machine only' : `for MCP clients at ${publicUrl}`,
        )
      : warnedCheck(
          NAME,
          insecure.map(({ variable, url }) => `${variable} is ${url.origin}`).join(', '),
          'MCP clients such as claude.ai and ChatGPT sign in at public https addresses only.',
        ),
    // Whether REST and MCP run on this machine is another check.
    ...documents.filter((check) => !isLocal || !check.ok || check.advice === null),
  ];
}

/** Reads a document as a client does, without following redirects, and compares some of its members. */
async function checkDocument(server: string, url: string, members: object): Promise<Check> {
  const probe = await probePublicUrl(url);
  if (probe instanceof Error || probe.status >= 500) {
    return warnedCheck(
      NAME,
      `${url} does not respond to this machine (${reasonOf(probe)})`,
      'Start the service; then check the address from another network, because clients connect from the internet.',
    );
  }
  const document = probe.json as Record<string, unknown> | null | undefined;
  const different = Object.entries(members).find(
    ([name, value]) => JSON.stringify(document?.[name]) !== JSON.stringify(value),
  );
  if (!different) return passedCheck(NAME, `${url} responds as clients expect`);
  return failedCheck(
    NAME,
    `${url} (${probe.status}) does not state ${different[0]} ${JSON.stringify(different[1])}`,
    `See that the address leads to ${server}, and that REST and MCP have the same public URLs.`,
  );
}

const reasonOf = (probe: Probe | Error): string =>
  probe instanceof Error
    ? ((probe as NodeJS.ErrnoException).code ?? probe.message)
    : `status ${probe.status}`;
