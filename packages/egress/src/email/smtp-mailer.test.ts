import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { Notification } from '@switchboard/domain/attention';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { checkMailServer, smtpMailer } from './smtp-mailer.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A real mail server that accepts one user, and keeps what it receives. */
async function startMailServer(options: SMTPServerOptions = {}) {
  const received: ParsedMail[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      logins.push(`${username} ${password}`);
      done(null, { user: username });
    },
    onData(stream, _session, done) {
      void simpleParser(stream).then((mail) => {
        received.push(mail);
        done();
      }, done);
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  closing.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return { received, logins, port };
}

const notification: Notification = {
  subject: 'Lumen: An account must be reconnected',
  heading: 'An account must be reconnected',
  items: [
    {
      title: 'An account must be reconnected',
      quote: '<b>Lumen</b>\r\nBcc: victim@example.com',
      text: 'The login has expired.',
      link: { label: 'Reconnect the account', url: 'https://switchboard.example/connect/a?b=1&c="2"' },
      reference: 'con_1',
    },
  ],
  more: null,
  footer: ['Sent to team@lumen.example.'],
};
const from = 'Switchboard <switchboard@lumen.example>';

test('sends text and HTML that hold the same, with third-party text escaped', async () => {
  const { received, port, logins } = await startMailServer();
  await smtpMailer({ url: `smtp://ada:p%40ss@127.0.0.1:${port}`, from }).send(
    ['team@lumen.example', 'ops@lumen.example'],
    notification,
  );
  expect(logins).toEqual(['ada p@ss']);
  const [mail] = received as [ParsedMail];
  expect(mail.from?.text).toBe('"Switchboard" <switchboard@lumen.example>');
  expect(mail.to).toMatchObject({ text: 'team@lumen.example, ops@lumen.example' });
  expect([mail.subject, mail.bcc]).toEqual([notification.subject, undefined]);
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail.text).toContain('“<b>Lumen</b> Bcc: victim@example.com”');
  expect(mail.text).toContain('Reconnect the account: https://switchboard.example/connect/a?b=1&c="2"');
  expect(mail.html).toContain('&#60;b&#62;Lumen&#60;/b&#62;');
  expect(mail.html).not.toMatch(/<b>|<script|<img|src=/);
  expect(mail.html).toContain('href="https://switchboard.example/connect/a?b=1&#38;c=&#34;2&#34;"');
});

test('a line break in a subject or an address adds no header and no recipient', async () => {
  const { received, port } = await startMailServer();
  await smtpMailer({ url: `smtp://127.0.0.1:${port}`, from }).send(['team@lumen.example'], {
    ...notification,
    subject: 'Lumen\r\nBcc: victim@example.com',
  });
  expect(received[0]?.bcc).toBeUndefined();
  expect(received[0]?.subject).toContain('victim');
});

test.each([
  ['without TLS', true],
  ['with a certificate that is not valid for it', false],
])('sends no password to another machine %s', async (_what, hideSTARTTLS) => {
  const { received, logins, port } = await startMailServer({ hideSTARTTLS });
  const mailer = smtpMailer({ url: `smtp://ada:pass@127.0.0.2:${port}`, from });
  await expect(mailer.send(['team@lumen.example'], notification)).rejects.toThrow();
  expect([received, logins]).toEqual([[], []]);
});

test('a check logs in and sends nothing', async () => {
  const { received, logins, port } = await startMailServer({
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong password')),
  });
  await checkMailServer(`smtp://ada:right@127.0.0.1:${port}`);
  await expect(checkMailServer(`smtp://ada:wrong@127.0.0.1:${port}`)).rejects.toThrow(/wrong password/);
  expect([received, logins]).toEqual([[], []]);
});

test('rejects when the server refuses every address, and when there is none', async () => {
  const refusing = await startMailServer({
    onRcptTo: (_address, _session, done) => done(new Error('no such user')),
  });
  await expect(
    smtpMailer({ url: `smtp://127.0.0.1:${refusing.port}`, from }).send(['a@b.example'], notification),
  ).rejects.toThrow(/no such user/);
  await expect(
    smtpMailer({ url: 'smtp://127.0.0.1:1', from }).send(['a@b.example'], notification),
  ).rejects.toThrow(/ECONNREFUSED/);
});
