import { jestConfig } from '../../jest.base.mjs';

export default jestConfig({ displayName: 'mcp', database: 'with-queue' });
