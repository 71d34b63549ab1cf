import { refuse } from '@switchboard/domain';
import type { Manifest } from '@switchboard/domain/ports';

export const refuseAddress = () =>
  refuse('platform.address_refused', 'Requests to this server’s address are not allowed.');

export const refuseExchange = ({ name }: Manifest) =>
  refuse('connect.exchange_failed', `${name} did not complete the connection. Start the connect flow again.`);

export const refuseRevocation = ({ name }: Manifest) =>
  refuse('platform.unavailable', `${name} could not be reached to revoke the grant.`);
