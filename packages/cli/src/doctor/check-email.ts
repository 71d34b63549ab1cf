import { checkMailServer, type Config } from '@switchboard/bootstrap';
import { failedCheck, passedCheck, type Check } from './check.js';

/** Logs in to the mail server, where one is configured. */
export async function checkEmail({ smtp }: Config): Promise<readonly Check[]> {
  if (smtp === null) return [];
  const { host } = new URL(smtp.url);
  try {
    await checkMailServer(smtp.url);
    return [passedCheck('e-mail', `${host} accepts the login; notifications come from ${smtp.from}`)];
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
    return [
      failedCheck('e-mail', `${host}: ${reason}`, 'Check SWITCHBOARD_SMTP_URL and that its server runs.'),
    ];
  }
}
