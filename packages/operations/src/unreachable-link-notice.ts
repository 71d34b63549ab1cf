/** Links that an MCP server creates work only while a REST process serves their targets. */
export const unreachableLinkNotice = (served: boolean): string =>
  served ? '' : 'No REST process serves this link: ask the operator to start one first. ';
