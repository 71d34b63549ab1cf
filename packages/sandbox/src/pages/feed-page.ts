import type { Account } from '../world.js';
import type { Comment } from '../social/comments.js';
import type { PostMetrics } from '../social/insights.js';
import { type Post, type PostMedia, mediaPath } from '../social/posts.js';
import { formatDay, html, layout, type Markup, type MarkupPart } from './layout.js';

export interface ShownPost {
  readonly post: Post;
  readonly author: Account;
  readonly metrics: PostMetrics;
  readonly repliesTo: Account | undefined;
  readonly comments: readonly { readonly comment: Comment; readonly author: Account }[];
  /** The posts of the thread below it. */
  readonly answers: readonly ShownPost[];
}

interface FeedPageOptions {
  readonly accounts: readonly Account[];
  readonly of: Account | undefined;
  readonly followers: number | undefined;
  readonly posts: readonly ShownPost[];
  readonly now: Date;
}

export function feedPage({ accounts, of, followers, posts, now }: FeedPageOptions): Markup {
  return layout({
    title: of ? of.name : 'Everyone',
    platform: 'social',
    content: html`<nav class="tabs" aria-label="Accounts">
        <a href="/social/feed" ${!of && html`aria-current="page"`}>Everyone</a>
        ${accounts.map(
          (account) =>
            html`<a href="/social/feed/${account.id}" ${of?.id === account.id && html`aria-current="page"`}
              >${account.name}</a
            >`,
        )}
      </nav>
      ${of ? profile(of, followers) : html`<h1 class="unseen">Everyone’s posts</h1>`}
      ${posts.length === 0 && html`<p class="card message quiet">Nothing posted yet.</p>`}
      <div class="feed">${posts.map((shown) => thread(shown, now))}</div>`,
  });
}

export function postPage(shown: ShownPost, now: Date): Markup {
  return layout({
    title: `${shown.author.name}’s post`,
    platform: 'social',
    content: html`<p>
        <a class="quiet" href="/social/feed/${shown.author.id}">← All posts of ${shown.author.name}</a>
      </p>
      <h1 class="unseen">Post by ${shown.author.name}</h1>
      <div class="feed">${thread(shown, now)}</div>`,
  });
}

function profile(account: Account, followers: number | undefined): MarkupPart {
  return html`<section class="card profile">
    <img class="avatar" src="/social/avatars/${account.id}.svg" alt="" width="88" height="88" />
    <div>
      <h1>${account.name}</h1>
      <p class="quiet">@${account.username}</p>
      <p>${account.about}</p>
      <p class="quiet"><strong>${(followers ?? 0).toLocaleString('en')}</strong> followers</p>
    </div>
  </section>`;
}

function thread(shown: ShownPost, now: Date): MarkupPart {
  return html`<div class="card thread">${chain(shown, now, true)}</div>`;
}

const chain = (shown: ShownPost, now: Date, begins: boolean): readonly MarkupPart[] => [
  postOf(shown, now, begins),
  ...shown.answers.flatMap((response) => chain(response, now, false)),
];

function postOf(
  { post, author, metrics, repliesTo, comments }: ShownPost,
  now: Date,
  begins: boolean,
): MarkupPart {
  return html`<article class="post" id="${post.id}">
    <img class="avatar" src="/social/avatars/${author.id}.svg" alt="" width="44" height="44" />
    <div class="body">
      <header>
        <a class="name" href="/social/feed/${author.id}">${author.name}</a>
        <span class="quiet"
          >@${author.username} ·
          <a class="quiet" href="/social/posts/${post.id}"
            ><time datetime="${post.created_at}">${ago(post.created_at, now)}</time></a
          ></span
        >
        ${post.topic !== null && html`<span class="tag">${post.topic}</span>`}
        ${post.visibility !== 'public' && html`<span class="tag">${post.visibility === 'private' ? 'Private' : 'Followers'}</span>`}
      </header>
      ${begins && post.reply_to !== null && html`<p class="quiet small"><a class="quiet" href="/social/posts/${post.reply_to}">Replying to ${repliesTo ? `@${repliesTo.username}` : 'a deleted post'}</a></p>`}
      ${post.text !== '' && html`<p class="text" dir="auto">${linkify(post.text)}</p>`}
      ${post.media.length > 0 && html`<div class="media of-${post.media.length}">${post.media.map(mediaOf)}</div>`}
      ${post.link !== null && link(post.link, html`<span class="linkcard"><span class="host">${new URL(post.link).host}</span><span class="path">${post.link}</span></span>`)}
      <p class="numbers quiet">
        <span><b>${count(metrics.likes)}</b> likes</span>
        <span><b>${count(metrics.comments)}</b> comments</span>
        <span><b>${count(metrics.shares)}</b> shares</span>
        <span><b>${count(metrics.impressions)}</b> views</span>
      </p>
      ${
        comments.length > 0 &&
        html`<ul class="comments">
          ${comments.map((one) => commentOf(one, now))}
        </ul>`
      }
    </div>
  </article>`;
}

function mediaOf(media: PostMedia): MarkupPart {
  const { type, alt_text: words } = media;
  if (type === 'application/pdf') {
    return html`<figure class="document"><a href="${mediaPath(media)}">${words ?? 'Document'}</a></figure>`;
  }
  const stated = words !== null && html`<figcaption title="${words}">ALT</figcaption>`;
  return type.startsWith('video/')
    ? html`<figure>
        <video src="${mediaPath(media)}" aria-label="${words ?? ''}" controls preload="metadata"></video
        >${stated}
      </figure>`
    : html`<figure>
        <a href="${mediaPath(media)}"><img src="${mediaPath(media)}" alt="${words ?? ''}" /></a>${stated}
      </figure>`;
}

function commentOf({ comment, author }: ShownPost['comments'][number], now: Date): MarkupPart {
  return html`<li id="${comment.id}">
    <img class="avatar" src="/social/avatars/${author.id}.svg" alt="" width="28" height="28" />
    <div>
      <a class="name" href="/social/feed/${author.id}">${author.name}</a>
      <time class="quiet small" datetime="${comment.created_at}">${ago(comment.created_at, now)}</time>
      <p dir="auto">${linkify(comment.text)}</p>
    </div>
  </li>`;
}

const count = (value: number) => value.toLocaleString('en');

function ago(at: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(at)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return formatDay(at);
}

/** Text with clickable web addresses; punctuation that ends the sentence is not part of the address. */
function linkify(text: string): MarkupPart[] {
  return text.split(/(https?:\/\/[^\s<>"]+)/gi).flatMap((part, index): MarkupPart[] => {
    if (index % 2 === 0) return [part];
    const address = part.replace(/[.,;:!?)\]}'’”]+$/u, '');
    if (!URL.canParse(address)) return [part];
    return [link(address, address.replace(/^https?:\/\//i, '')), part.slice(address.length)];
  });
}

function link(address: string, label: MarkupPart): MarkupPart {
  return html`<a href="${address}" rel="noopener noreferrer nofollow">${label}</a>`;
}
