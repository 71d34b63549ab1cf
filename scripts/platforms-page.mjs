import { listRequestedPermissions } from '../packages/domain/dist/src/connections/permissions-of.js';
import { table } from './markdown-table.mjs';

/** The capabilities of all platforms side by side, and then each platform in detail. */
export function platformsPage(platforms, note) {
  const social = platforms.filter(({ manifest }) => manifest.kind === 'social');
  const stores = platforms.filter(({ manifest }) => manifest.kind === 'commerce');
  return `# Platforms

${note}

\`GET /v1/platforms\` returns the same data, and \`GET /v1/connections/:id/publishing\` the current options of one account.

## Post limits

${matrix(social, postColumns)}

Sizes are those of the files sent to the platform; Switchboard resizes larger images. “Total” is the number of media per post, “mixed” means that images and videos can be combined, “cover image” means that an image is accepted only with a video.

## Post features

${matrix(social, publishedColumns)}

“Searchable” means that Switchboard searches the platform for a post whose outcome is unknown; otherwise a person has to check. “Account options” are values that depend on the account, such as boards.

## Stores

${matrix(stores, storeColumns)}

Switchboard applies the filters that a store does not support. “Idempotent” means that the store rejects a duplicate refund; otherwise Switchboard looks up the refund before it sends it again.

${platforms.map(page).join('\n\n')}
`;
}

const yes = (is) => (is ? 'yes' : '');
/** In the unit of the platform, powers of 1000 or of 1024. */
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
        media.images?.coverOnly && 'cover image',
      ]
        .filter(Boolean)
        .join(', ')
    : '';
const length = (limit) => (limit ? `${limit.max} ${limit.unit}` : '');
const verified = ({ evidence, verifiedOn }) => `${evidence.replace('_', ' ')}, ${verifiedOn}`;

/** A column: its header and its cell. */
const postColumns = {
  text: ({ manifest }) => length(manifest.text),
  title: ({ manifest }) => length(manifest.title),
  images: ({ manifest }) => files(manifest.media?.images),
  videos: ({ manifest }) => files(manifest.media?.videos),
  documents: ({ manifest }) => files(manifest.media?.documents),
  total: ({ manifest }) => mediaLimits(manifest.media),
  'alternative text': ({ manifest }) => manifest.media?.altTextMax ?? '',
  thread: ({ manifest }) => yes(manifest.thread),
  'first comment': ({ manifest }) => yes(manifest.firstComment),
  cards: ({ manifest }) => yes(manifest.linkCards),
};
const publishedColumns = {
  searchable: ({ publishing }) => yes(publishing?.find),
  unpublish: unpublishCell,
  edit: ({ publishing }) => yes(publishing?.edit),
  'URL resolved later': ({ publishing }) => yes(publishing?.resolvePublishedUrl),
  'account options': ({ publishing }) => yes(publishing?.options),
  quotas: ({ publishing }) => yes(publishing?.quotas),
  price: ({ publishing }) => yes(publishing?.cost),
  'post metrics': ({ manifest }) => metricsOf(manifest, 'post'),
  'account metrics': ({ manifest }) => metricsOf(manifest, 'account'),
  'posts made elsewhere': ({ manifest }) => listedPosts(manifest),
  evidence: ({ manifest }) => verified(manifest),
};
const storeColumns = {
  'native filters': ({ orders }) => orders?.filters.map((name) => `\`${name}\``).join(' ') ?? '',
  'line items': ({ manifest }) => yes(manifest.refunds?.lines),
  shipping: ({ manifest }) => yes(manifest.refunds?.shipping),
  restock: ({ manifest: { refunds } }) =>
    refunds?.restock
      ? ['yes', refunds.restockByLine && 'by line', refunds.locations && 'by location']
          .filter(Boolean)
          .join(', ')
      : '',
  'notifies customer': ({ manifest }) => yes(manifest.refunds?.notifyCustomer),
  offline: ({ manifest }) => yes(manifest.refunds?.offline),
  idempotent: ({ manifest }) => yes(manifest.refunds?.idempotent),
  evidence: ({ manifest }) => verified(manifest),
};

function unpublishCell({ manifest: { connect }, publishing }) {
  const keeps = connect.filter(({ supportsUnpublish }) => supportsUnpublish === false);
  return keeps.length > 0
    ? `not with “${keeps.map(({ label }) => label).join('”, “')}”`
    : yes(publishing?.remove);
}

/** The page budget of a report. */
const listedPosts = ({ postList }) =>
  postList === null
    ? ''
    : `${postList.pages} pages of ${postList.postsPerPage}${postList.postsMax === null ? '' : `, the newest ${postList.postsMax.toLocaleString('en-US')}`}`;

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
