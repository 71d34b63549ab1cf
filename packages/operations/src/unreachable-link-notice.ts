/** An MCP server alone creates links that lead nowhere: a REST process has to serve their targets. */
export const unreachableLinkNotice = (served: boolean): string =>
  served ? '' : 'No REST process serves this link: ask the operator to start one first. ';
