import path from 'node:path';
import { systemCall } from '@switchboard/domain';
import { startConnect } from '@switchboard/domain/connections';
import { hasKeyFiles, keyFiles } from './initialize-installation.js';
import { mcpClientConfig } from './mcp-client-config.js';
import type { Service } from './service.js';

const WEEK_MINUTES = 10_080;

/**
 * The suggested next steps after a start in development. Null in production, and without the initial keys.
 */
export async function buildWelcomeText(service: Service): Promise<string | null> {
  const { config } = service;
  if (config.mode === 'production' || !hasKeyFiles(config)) return null;
  const file = path.relative(process.cwd(), keyFiles(config).full) || keyFiles(config).full;
  const link = config.sandbox ? await sandboxLink(service) : null;
  const { stdio } = await mcpClientConfig(config);
  const { pause } = await service.ports.pauses.findInstallation();
  const lines = [
    '',
    ...(pause
      ? [
          '  Paused: no post and no refund is sent until you run `switchboard resume`.',
          `    ${pause.reason ?? pause.cause}`,
          '',
        ]
      : []),
    `  REST       ${config.publicUrl}/v1      documentation  ${config.publicUrl}/docs`,
    `  MCP        ${config.mcpPublicUrl}/mcp     (over HTTP; over stdio see below)`,
    '',
    '  Check the API key',
    `    curl -s ${config.publicUrl}/v1/me -H "Authorization: Bearer $(cat ${file})"`,
    ...(link === null ? [] : ['', '  Connect a sandbox account in a browser', `    ${link}`]),
    '',
    `  MCP client configuration with the agent key (${path.relative(process.cwd(), keyFiles(config).agent)})`,
    ...JSON.stringify({ mcpServers: { switchboard: stdio } }, null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    '',
  ];
  return lines.join('\n');
}

/** A link for the sandbox platforms and the workspace of the first start; valid for a week. */
async function sandboxLink({ ports, config }: Service): Promise<string | null> {
  const [workspace] = await ports.workspaces.list();
  if (!workspace) return null;
  const { items } = await ports.profiles.list(workspace.id, { reach: null }, { limit: 100 });
  const profile = items.find(({ isDefault }) => isDefault);
  if (!profile) return null;
  const platforms = ports.manifests.list().filter(({ sandbox }) => sandbox);
  const started = await ports.transactions.run((tx) =>
    startConnect(
      { ...ports, ...tx },
      systemCall('start', 'cli', {
        workspaceId: workspace.id,
        requestId: ports.ids.next('req'),
        signal: new AbortController().signal,
      }),
      { platforms: platforms.map(({ id }) => id), profileId: profile.id, expiresInMinutes: WEEK_MINUTES },
    ),
  );
  return started.ok ? started.value.url : `${config.publicUrl}/docs`;
}
