/** `at://did:plc:…/app.bsky.feed.post/3k…` */
export const postUrlOf = (uri: string): string => {
  const [did = '', , rkey = ''] = uri.slice('at://'.length).split('/');
  return `https://bsky.app/profile/${did}/post/${rkey}`;
};
