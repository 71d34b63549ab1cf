import type { Prompt } from '../prompts.js';

const MAX_DAYS = 366;

export const reviewPerformance: Prompt = {
  name: 'review_performance',
  title: 'Review performance',
  description:
    'Reads the numbers of the last days, compares accounts and posts, and says what to do differently.',
  needs: ['get_analytics'],
  arguments: [
    {
      name: 'profile',
      description: 'The brand to look at: its id or its name. Left out: all that the key reaches.',
      required: false,
      completable: 'profiles',
    },
    {
      name: 'days',
      description: 'How many days back. Left out: 30.',
      required: false,
      completable: ['7', '14', '30', '90'],
      validate: (value) =>
        /^[1-9]\d{0,2}$/.test(value) && Number(value) <= MAX_DAYS
          ? null
          : `is a whole number from 1 to ${MAX_DAYS}`,
    },
    {
      name: 'question',
      description: 'What you want to know most.',
      required: false,
    },
  ],
  render: ({ days = '30' }, isAvailable) => ({
    task: `Review how our social posts did in the last ${days} days.`,
    steps: [
      'Call whoami: it tells which profiles there are and what time it is.',
      'Call get_analytics for these days grouped by platform, and once more for as many days before them, to compare.',
      'Call get_analytics grouped by post, sorted by -engagements, and look at the best and at the weakest.',
      ...(isAvailable('list_posts')
        ? [
            'Call list_posts with the status needs_review, and with failed: what never went out explains a number too.',
          ]
        : []),
      'null means that a platform does not say: leave it out, never count it as zero, and compare only platforms that give the same number. coverage and notes tell what could not be read: say so.',
      'Tell me in a few lines what changed and by how much, what the best posts have in common, and three things to do differently. Where there are too few posts to tell, say that instead.',
      'Change nothing: this is a review.',
    ],
  }),
};
