/** An MCP server alone makes links that lead nowhere: a REST process answers what they lead to. */
export const unreachableLinkNotice = (served: boolean): string =>
  served ? '' : 'No REST process serves this link now: have whoever runs Switchboard start one first. ';
