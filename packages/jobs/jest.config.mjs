import { jestConfig } from '../../jest.base.mjs';

export default jestConfig({ displayName: 'jobs', database: 'migrated' });
