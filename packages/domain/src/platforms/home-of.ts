import type { ConnectWay } from '../ports/connect-way.js';
import type { Manifest } from '../ports/platform.js';

/** The platform whose app and origins a way uses: its own, unless it goes through another. */
export const homeOf = ({ id }: Pick<Manifest, 'id'>, { through }: Pick<ConnectWay, 'through'>): string =>
  through ?? id;
