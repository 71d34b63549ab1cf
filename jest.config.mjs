import { jestConfig } from './jest.base.mjs';

export default {
  ...jestConfig({ displayName: 'root' }),
  roots: ['<rootDir>/scripts'],
  testMatch: ['<rootDir>/scripts/*.test.mjs'],
};
