import { listRequestedPermissions } from '../packages/domain/dist/src/index.js';
import { table } from './markdown-table.mjs';

/** What each platform can do, side by side, and then each by itself. */
export function platformsPage(platforms, note) {
  const social = platforms.filter(({ manifest }) => manifest.kind === 'social');
  const stores = platforms.filter(({ manifest }) => manifest.kind === 'commerce');
  return `# Platforms

${note}

\`GET /v1/platforms\` says the same to programs, and \`GET /v1/connections/:id/publishing\` what one account may do now.

## What a post may be

${matrix(social, postColumns)}

Sizes are those that are sent; a picture that is larger is made to fit. “Media per post” says how many media one post takes, “mixed” that pictures and films may stand together, “a picture as cover” that a picture is nothing without its film.

## What can be done with a post

${matrix(social, publishedColumns)}

“Found again” is what happens when nobody answers: the post is looked for at the platform, and only where that cannot be done a person has to look. “Of the account” are choices that only the account knows, such as boards.

## Stores

${matrix(stores, storeColumns)}

Whatever a store does not filter itself is filtered here. “Sends once” says that the store itself refuses to do the same refund twice; everywhere else it is looked for before it is sent again.

${platforms.map(page).join('\n\n')}
`;
}

const yes = (is) => (is ? 'yes' : '');
/** In the units in which the platform counts, of a thousand or of 1024. */
function size(bytes) {
  const [step, units] =
    bytes % 1024 ** 2 === 0 ? [1024, ['B', 'KiB', 'MiB', 'GiB']] : [1000, ['B', 'kB', 'MB', 'GB']];
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(step)), units.length - 1);
  return `${Number((bytes / step ** power).toPrecision(3))} ${units[power]}`;
}
const files = (rule) => (rule ? `${rule.max} of ${size(rule.maxBytes)}` : '');
const mediaLimits = (media) =>
  media
    ? [
        ...[media.max, media.mixed && 'mixed', media.required && 'required'],
        media.images?.coverOnly && 'a picture as cover',
      ]
        .filter(Boolean)
        .join(', ')
    : '';
const length = (limit) => (limit ? `${limit.max} ${limit.unit}` : '');
const verified = ({ evidence, verifiedOn }) => `${evidence.replace('_', ' ')}, ${verifiedOn}`;

/** A column is its head and what stands in it. */
const postColumns = {
  text: ({ manifest }) => length(manifest.text),
  title: ({ manifest }) => length(manifest.title),
  pictures: ({ manifest }) => files(manifest.media?.images),
  films: ({ manifest }) => files(manifest.media?.videos),
  documents: ({ manifest }) => files(manifest.media?.documents),
  'media per post': ({ manifest }) => mediaLimits(manifest.media),
  'alternative text': ({ manifest }) => manifest.media?.altTextMax ?? '',
  thread: ({ manifest }) => yes(manifest.thread),
  'first comment': ({ manifest }) => yes(manifest.firstComment),
  cards: ({ manifest }) => yes(manifest.linkCards),
};
const publishedColumns = {
  'found again': ({ publishing }) => yes(publishing?.find),
  'taken back': unpublishCell,
  'public id comes later': ({ publishing }) => yes(publishing?.resolvePublishedUrl),
  'of the account': ({ publishing }) => yes(publishing?.options),
  quotas: ({ publishing }) => yes(publishing?.quotas),
  price: ({ publishing }) => yes(publishing?.cost),
  'numbers of posts': ({ manifest }) => metricsOf(manifest, 'post'),
  'of the account itself': ({ manifest }) => metricsOf(manifest, 'account'),
  evidence: ({ manifest }) => verified(manifest),
};
const storeColumns = {
  'filters itself': ({ orders }) => orders?.filters.map((name) => `\`${name}\``).join(' ') ?? '',
  'lines refunded': ({ manifest }) => yes(manifest.refunds?.lines),
  shipping: ({ manifest }) => yes(manifest.refunds?.shipping),
  restock: ({ manifest: { refunds } }) =>
    refunds?.restock
      ? ['yes', refunds.restockByLine && 'by line', refunds.locations && 'at a place']
          .filter(Boolean)
          .join(', ')
      : '',
  'tells the customer': ({ manifest }) => yes(manifest.refunds?.notifyCustomer),
  offline: ({ manifest }) => yes(manifest.refunds?.offline),
  'sends once': ({ manifest }) => yes(manifest.refunds?.idempotent),
  evidence: ({ manifest }) => verified(manifest),
};

function unpublishCell({ manifest: { connect }, publishing }) {
  const keeps = connect.filter(({ supportsUnpublish }) => supportsUnpublish === false);
  return keeps.length > 0
    ? `not with “${keeps.map(({ label }) => label).join('”, “')}”`
    : yes(publishing?.remove);
}

const metricsOf = ({ metrics }, about) =>
  metrics
    .filter(({ subject }) => subject === about)
    .map(({ metric }) => metric)
    .join(', ');

const matrix = (platforms, columns) =>
  table(
    ['platform', ...Object.keys(columns)],
    platforms.map((platform) => [
      `[${platform.manifest.name}](#${anchor(platform.manifest.name)})`,
      ...Object.values(columns).map((cell) => String(cell(platform))),
    ]),
  );

const anchor = (name) => name.toLowerCase().replaceAll(' ', '-');

function page({ manifest }) {
  const facts = [
    ['id', `\`${manifest.id}\``],
    ['connected by', manifest.connect.map(({ label }) => label).join('; ')],
    ['permissions', permissionsOf(manifest)],
    ['API version', versionOf(manifest)],
    ['evidence', verified(manifest)],
    ['documentation', manifest.docsUrl],
  ];
  const options = manifest.options.map(({ name, label, type, required, choices }) => [
    `\`${name}\``,
    label,
    choices ? choices.map(({ value }) => `\`${value}\``).join(' ') : type.replace('_', ' '),
    yes(required),
  ]);
  const metrics = manifest.metrics.map((fact) => [
    fact.metric,
    `\`${fact.nativeName}\``,
    fact.subject,
    fact.definition,
    `${fact.lagHours} h`,
  ]);
  return [
    `## ${manifest.name}`,
    table(['fact', ''], facts),
    ...(options.length > 0 ? [table(['option', 'says', 'takes', 'required'], options)] : []),
    ...(metrics.length > 0 ? [table(['metric', 'native name', 'of', 'definition', 'lag'], metrics)] : []),
    manifest.setup.pitfalls.map((pitfall) => `- ${pitfall}`).join('\n'),
  ].join('\n\n');
}

const permissionsOf = (manifest) =>
  listRequestedPermissions(manifest)
    .map((name) => `\`${name}\``)
    .join(' ');

const versionOf = ({ apiVersion, apiVersionEndsOn }) =>
  apiVersion === null
    ? ''
    : apiVersionEndsOn === null
      ? apiVersion
      : `${apiVersion}, until ${apiVersionEndsOn}`;
