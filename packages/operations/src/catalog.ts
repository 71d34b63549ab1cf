// Generated from packages/operations/src by `pnpm generate`; do not edit.
import type { Operation } from './define.js';
import getAnalytics from './analytics/get-analytics.js';
import listAttention from './attention/list-attention.js';
import listAudit from './audit/list-audit.js';
import getConnectSession from './connect/get-connect-session.js';
import startConnect from './connect/start-connect.js';
import disconnect from './connections/disconnect.js';
import getConnection from './connections/get-connection.js';
import getPublishingOptions from './connections/get-publishing-options.js';
import listConnections from './connections/list-connections.js';
import updateConnection from './connections/update-connection.js';
import createKey from './keys/create-key.js';
import getKey from './keys/get-key.js';
import listKeys from './keys/list-keys.js';
import revokeKey from './keys/revoke-key.js';
import rotateKey from './keys/rotate-key.js';
import updateKey from './keys/update-key.js';
import getMe from './me/get-me.js';
import createMedia from './media/create-media.js';
import createMediaUpload from './media/create-media-upload.js';
import deleteMedia from './media/delete-media.js';
import getMedia from './media/get-media.js';
import listMedia from './media/list-media.js';
import getOrder from './orders/get-order.js';
import listOrders from './orders/list-orders.js';
import deletePlatformApp from './platforms/delete-platform-app.js';
import getPlatform from './platforms/get-platform.js';
import getPlatformApp from './platforms/get-platform-app.js';
import listPlatforms from './platforms/list-platforms.js';
import updatePlatformApp from './platforms/update-platform-app.js';
import cancelPost from './posts/cancel-post.js';
import createPost from './posts/create-post.js';
import createPosts from './posts/create-posts.js';
import getPost from './posts/get-post.js';
import getPostHistory from './posts/get-post-history.js';
import listPosts from './posts/list-posts.js';
import recheckDelivery from './posts/recheck-delivery.js';
import resolveDelivery from './posts/resolve-delivery.js';
import retryPost from './posts/retry-post.js';
import unpublishPost from './posts/unpublish-post.js';
import updatePost from './posts/update-post.js';
import validatePost from './posts/validate-post.js';
import createProfile from './profiles/create-profile.js';
import deleteProfile from './profiles/delete-profile.js';
import getProfile from './profiles/get-profile.js';
import listProfiles from './profiles/list-profiles.js';
import updateProfile from './profiles/update-profile.js';
import getRefund from './refunds/get-refund.js';
import listRefunds from './refunds/list-refunds.js';
import quoteRefund from './refunds/quote-refund.js';
import recheckRefund from './refunds/recheck-refund.js';
import refundOrder from './refunds/refund-order.js';
import resolveRefund from './refunds/resolve-refund.js';
import getWorkspace from './workspaces/get-workspace.js';
import updateWorkspace from './workspaces/update-workspace.js';

/** Every operation. */
export const catalog: readonly Operation[] = [
  getAnalytics,
  listAttention,
  listAudit,
  getConnectSession,
  startConnect,
  disconnect,
  getConnection,
  getPublishingOptions,
  listConnections,
  updateConnection,
  createKey,
  getKey,
  listKeys,
  revokeKey,
  rotateKey,
  updateKey,
  getMe,
  createMedia,
  createMediaUpload,
  deleteMedia,
  getMedia,
  listMedia,
  getOrder,
  listOrders,
  deletePlatformApp,
  getPlatform,
  getPlatformApp,
  listPlatforms,
  updatePlatformApp,
  cancelPost,
  createPost,
  createPosts,
  getPost,
  getPostHistory,
  listPosts,
  recheckDelivery,
  resolveDelivery,
  retryPost,
  unpublishPost,
  updatePost,
  validatePost,
  createProfile,
  deleteProfile,
  getProfile,
  listProfiles,
  updateProfile,
  getRefund,
  listRefunds,
  quoteRefund,
  recheckRefund,
  refundOrder,
  resolveRefund,
  getWorkspace,
  updateWorkspace,
];
