import { isReturnUrl, isHttpsUrl, type Workspace } from '@switchboard/domain/workspaces';
import { z } from 'zod';
import { isStorable } from '../pipeline/is-storable.js';
import { components, timezone } from '../shapes.js';

export const workspaceShape = z.object({
  id: z.string(),
  name: z.string(),
  display_name: z.string().nullable(),
  logo_url: z.string().nullable(),
  accent_color: z.string().nullable(),
  support_email: z.string().nullable(),
  privacy_url: z.string().nullable(),
  return_urls: z.array(z.string()),
  default_timezone: z.string(),
  notify_emails: z.array(z.string()),
});
workspaceShape.register(components, { id: 'Workspace' });

export const presentWorkspace = (workspace: Workspace): z.input<typeof workspaceShape> => ({
  id: workspace.id,
  name: workspace.name,
  display_name: workspace.displayName,
  logo_url: workspace.logoUrl,
  accent_color: workspace.accentColor,
  support_email: workspace.supportEmail,
  privacy_url: workspace.privacyUrl,
  return_urls: [...workspace.returnUrls],
  default_timezone: workspace.defaultTimezone,
  notify_emails: [...workspace.notifyEmails],
});

const RETURN_URLS_MAX = 50;
const NOTIFY_EMAILS_MAX = 20;
const email = z.email('an e-mail address').max(254);
const webAddress = z.string().refine(isHttpsUrl, 'an https:// URL without user info or spaces');

export const workspaceFields = {
  display_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), 'one line of text')
    .nullable(),
  logo_url: webAddress.nullable(),
  accent_color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'a color such as #1a73e8')
    .nullable(),
  support_email: email.nullable(),
  privacy_url: webAddress.nullable(),
  return_urls: z
    .array(
      z
        .string()
        .refine(
          isReturnUrl,
          'the complete URL: https:// (http:// on 127.0.0.1 or localhost), without user info, fragment or wildcards',
        ),
    )
    .max(RETURN_URLS_MAX)
    .refine((urls) => new Set(urls).size === urls.length, 'no duplicates'),
  default_timezone: timezone,
  notify_emails: z
    .array(email)
    .max(NOTIFY_EMAILS_MAX)
    .refine((all) => new Set(all.map((one) => one.toLowerCase())).size === all.length, 'no duplicates')
    .describe('Addresses that are notified of what waits for a person, at most every 15 minutes.'),
};

export const exampleWorkspace: z.input<typeof workspaceShape> = {
  id: 'wsp_01kah3v5w8e2m6r9t0x4y7z1ab',
  name: 'lumen',
  display_name: 'Lumen Coffee',
  logo_url: 'https://lumen.example/logo.png',
  accent_color: '#7a3b12',
  support_email: 'help@lumen.example',
  privacy_url: 'https://lumen.example/privacy',
  return_urls: ['https://app.lumen.example/connected'],
  default_timezone: 'Europe/Madrid',
  notify_emails: ['team@lumen.example'],
};
