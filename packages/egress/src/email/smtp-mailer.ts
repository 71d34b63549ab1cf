import type { Mailer } from '@switchboard/domain/ports';
import type { Transporter } from 'nodemailer';
import { renderEmail } from './render-email.js';

interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`, with the user name and password of the mail server where it has any. */
  readonly url: string;
  /** `Name <address>` or an address. */
  readonly from: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Sends e-mail through the operator's mail server (SMTP, RFC 5321), one connection per message. A password is sent
 * over TLS only, except to this machine.
 */
export const smtpMailer = ({ url, from }: SmtpMailerOptions): Mailer => ({
  send: (to, notification) =>
    withTransport(url, (transport) =>
      transport.sendMail({
        from,
        to: [...to],
        subject: notification.subject,
        ...renderEmail(notification),
        // No automatic replies to an automatic message (RFC 3834, section 5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      }),
    ),
});

/** Connects to the mail server and logs in, without a message; rejects where that fails. */
export const checkMailServer = (url: string): Promise<void> =>
  withTransport(url, (transport) => transport.verify());

/** The library is loaded with the first message. */
async function withTransport(url: string, use: (transport: Transporter) => Promise<unknown>): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(url);
  const user = decodeURIComponent(username);
  const isLocal = LOOPBACK.includes(hostname);
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'smtps:' ? 465 : 587),
    secure: protocol === 'smtps:',
    ignoreTLS: isLocal,
    requireTLS: user !== '' && !isLocal,
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await use(transport);
  } finally {
    transport.close();
  }
}
