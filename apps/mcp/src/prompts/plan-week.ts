import type { Prompt } from './prompts.js';

const MAX_POSTS = 50;

export const planWeek: Prompt = {
  name: 'plan_week',
  title: 'Plan a week of posts',
  description:
    'Reviews what performed well and what is already planned, writes a week of posts, and asks before it schedules any.',
  needs: ['validate_post'],
  arguments: [
    {
      name: 'goals',
      description: 'The topic of the week and its goals.',
      required: true,
    },
    {
      name: 'profile',
      description: 'Profile to plan for: its id or name.',
      required: false,
      completable: 'profiles',
    },
    {
      name: 'posts',
      description: 'Number of posts.',
      required: false,
      completable: ['3', '5', '7', '10'],
      validate: (value) =>
        /^[1-9]\d?$/.test(value) && Number(value) <= MAX_POSTS
          ? null
          : `is a whole number from 1 to ${MAX_POSTS}`,
    },
    {
      name: 'first_day',
      description: 'The first day, as 2026-12-01. Default: tomorrow.',
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
      'Call whoami for the profiles and the current time. When I named no profile and there are several, ask me which.',
      ...(isAvailable('list_connections')
        ? [
            'Call list_connections for the accounts of the profile. Tell me which of them must be reconnected, and plan without those.',
          ]
        : []),
      ...(isAvailable('get_analytics')
        ? [
            'Call get_analytics with group_by post, sorted by -engagements, for recent performance. null means that a platform does not report the metric: do not read it as zero.',
          ]
        : []),
      'Call list_posts with the status scheduled, so that nothing is planned twice.',
      'Write the posts. Text limits differ per platform: see get_platform, and get_publishing_options for options of an account.',
      'Call validate_post with each of them, with its targets and its scheduled_at, and fix what it reports.',
      'Show me the whole plan: day, time and time zone, accounts, text. Then wait for my answer.',
      ...(isAvailable('create_post')
        ? [
            'Only when I have agreed, call create_post for each post with its scheduled_at and an idempotency_key of its own. When I change something, validate it again first.',
            'Report what is scheduled, with its ids, and what is not and why.',
          ]
        : ['You cannot schedule with this key: give me the plan.']),
    ],
  }),
};
