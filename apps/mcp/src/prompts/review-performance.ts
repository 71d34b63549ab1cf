import type { Prompt } from './prompts.js';

const MAX_DAYS = 366;

export const reviewPerformance: Prompt = {
  name: 'review_performance',
  title: 'Review performance',
  description:
    'Reads the metrics of the last days, compares accounts and posts, and suggests what to do differently.',
  needs: ['get_analytics'],
  arguments: [
    {
      name: 'profile',
      description: 'Profile to review: its id or name. Default: all that the key can access.',
      required: false,
      completable: 'profiles',
    },
    {
      name: 'days',
      description: 'Number of past days. Default: 30.',
      required: false,
      completable: ['7', '14', '30', '90'],
      validate: (value) =>
        /^[1-9]\d{0,2}$/.test(value) && Number(value) <= MAX_DAYS
          ? null
          : `is a whole number from 1 to ${MAX_DAYS}`,
    },
    {
      name: 'question',
      description: 'The question that matters most to you.',
      required: false,
    },
  ],
  render: ({ days = '30' }, isAvailable) => ({
    task: `Review how our social posts did in the last ${days} days.`,
    steps: [
      'Call whoami for the profiles and the current time.',
      'Call get_analytics for these days grouped by platform, and once more for as many days before them, to compare.',
      'Call get_analytics grouped by post, sorted by -engagements, and look at the best and the weakest posts.',
      ...(isAvailable('list_posts')
        ? [
            'Call list_posts with the status needs_review, and with failed. Unpublished posts also explain results.',
          ]
        : []),
      'null means that a platform does not report the metric: leave it out, never count it as zero, and compare only platforms that report the same metric. coverage and notes list what could not be read: mention it.',
      'Tell me in a few lines what changed and by how much, what the best posts have in common, and three things to do differently. When there are too few posts for a conclusion, say that instead.',
      'Change nothing: this is a review.',
    ],
  }),
};
