import type { Prompt } from '../prompts.js';

const MAX_POSTS = 50;

export const planWeek: Prompt = {
  name: 'plan_week',
  title: 'Plan a week of posts',
  description:
    'Looks at what worked and at what is planned already, writes a week of posts, and asks before it schedules any.',
  needs: ['validate_post'],
  arguments: [
    {
      name: 'goals',
      description: 'What the week is about and should achieve.',
      required: true,
    },
    {
      name: 'profile',
      description: 'The brand to plan for: its id or its name.',
      required: false,
      completable: 'profiles',
    },
    {
      name: 'posts',
      description: 'How many posts.',
      required: false,
      completable: ['3', '5', '7', '10'],
      validate: (value) =>
        /^[1-9]\d?$/.test(value) && Number(value) <= MAX_POSTS
          ? null
          : `is a whole number from 1 to ${MAX_POSTS}`,
    },
    {
      name: 'first_day',
      description: 'The first day, as 2026-12-01. Left out: tomorrow.',
      required: false,
      validate: (value) =>
        /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
          ? null
          : 'is a date like 2026-12-01',
    },
  ],
  render: (_arguments, isAvailable) => ({
    task: 'Plan a week of social posts for me.',
    steps: [
      'Call whoami: it tells which profiles there are and what time it is. When I named no profile and there are several, ask me which.',
      ...(isAvailable('list_connections')
        ? [
            'Call list_connections for the accounts of the profile. Tell me which of them must be connected again, and plan without those.',
          ]
        : []),
      ...(isAvailable('get_analytics')
        ? [
            'Call get_analytics with group_by post, sorted by -engagements, for what worked lately. null means that a platform does not say: do not read it as zero.',
          ]
        : []),
      'Call list_posts with the status scheduled, so that nothing is planned twice.',
      'Write the posts. Text limits differ from platform to platform: get_platform tells them, and get_publishing_options what an account asks for.',
      'Call validate_post with each of them, with its targets and its scheduled_at, and mend what it finds.',
      'Show me the whole plan: day, time and time zone, accounts, text. Then wait for my answer.',
      ...(isAvailable('create_post')
        ? [
            'Only when I have agreed, call create_post for each post with its scheduled_at and an idempotency_key of its own. When I change something, validate it again first.',
            'Tell me what is scheduled, with its ids, and what is not and why.',
          ]
        : ['You cannot schedule anything here: what you hand me is the plan.']),
    ],
  }),
};
