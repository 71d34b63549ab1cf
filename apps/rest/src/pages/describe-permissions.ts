import { listRequestedPermissions } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';
import type { Translator } from '../texts/translator.js';

/** The permissions that the account owner approves, in sentences about the account. */
export function describePermissions(
  { manifest, abilities, connectMethods }: PlatformFacts,
  { text }: Translator,
): readonly string[] {
  const { publishing, analytics, orders, refunds } = abilities;
  const deletes =
    publishing?.unpublish && connectMethods.some(({ supportsUnpublish }) => supportsUnpublish !== false);
  return [
    text(manifest.kind === 'social' ? 'seeAccount' : 'seeStore'),
    ...(publishing ? [text(deletes ? 'publishAndDelete' : 'publish')] : []),
    ...(publishing?.readBack ? [text('readPosts')] : []),
    ...(analytics ? [text(metricsTextKey(analytics))] : []),
    ...(orders ? [text('readOrders')] : []),
    ...(refunds ? [text('refundOrders')] : []),
  ];
}

function metricsTextKey({ posts, account }: { readonly posts: boolean; readonly account: boolean }) {
  if (posts && account) return 'readAllNumbers';
  return posts ? 'readPostNumbers' : 'readAccountNumbers';
}

/** One line for a list of platforms. */
export function summarizeAbilities(
  { manifest, abilities }: PlatformFacts,
  { text, list, language }: Translator,
): string {
  const { publishing, analytics, orders, refunds } = abilities;
  const parts = [
    ...(publishing ? [text('shortPublish')] : []),
    ...(analytics ? [text('shortNumbers')] : []),
    ...(orders ? [text('shortOrders')] : []),
    ...(refunds ? [text('shortRefunds')] : []),
  ];
  const line = list(parts.length > 0 ? parts : [text('shortName')]);
  const sentence = line.charAt(0).toLocaleUpperCase(language) + line.slice(1);
  return manifest.sandbox ? `${sentence}. ${text('sandboxNote')}` : sentence;
}

/** The permissions with the names of the platform's own consent page. */
export const platformPermissions = ({ manifest, connectMethods }: PlatformFacts): readonly string[] =>
  listRequestedPermissions(manifest, connectMethods);
