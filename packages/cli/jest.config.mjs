import { jestConfig } from '../../jest.base.mjs';

export default jestConfig({ displayName: 'cli', database: 'with-queue' });
