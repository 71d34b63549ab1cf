import { expect, test } from '@jest/globals';
import { z } from 'zod';
import createPost from './create-post.js';
import updatePost from './update-post.js';
import validatePost from './validate-post.js';

test('finds the available options from the arguments of a post', () => {
  const says = ({ mcpInput }: typeof createPost) =>
    JSON.stringify(z.toJSONSchema(mcpInput, { io: 'input' })).split('get_publishing_options').length - 1;
  expect([createPost, validatePost, updatePost].map(says)).toEqual([1, 1, 1]);
});
