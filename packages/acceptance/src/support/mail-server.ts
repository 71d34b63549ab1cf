import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface MailServer {
  /** For `SWITCHBOARD_SMTP_URL`. */
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly ParsedMail[];
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it receives. */
export async function startMailServer(): Promise<MailServer> {
  const received: ParsedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, _session, done) {
      void simpleParser(stream).then((mail) => {
        received.push(mail);
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?from=switchboard%40lumen.example`,
    received,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
