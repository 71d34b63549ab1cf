import { expect, test } from '@jest/globals';
import { z } from 'zod';
import createPost from './create-post.js';
import updatePost from './update-post.js';
import validatePost from './validate-post.js';

test('finds the available options from the tool that creates a post, and names them once', () => {
  const says = ({ mcpInput }: typeof createPost) =>
    JSON.stringify(z.toJSONSchema(mcpInput, { io: 'input' })).split('get_publishing_options').length - 1;
  expect([createPost, validatePost, updatePost].map(says)).toEqual([1, 0, 0]);
});
