import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopePresets } from '@switchboard/domain/access';
import { connectSandbox } from './support/connect-sandbox.js';
import { parseMinor } from './support/sandbox-store.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpStreams, type McpClient } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { sandboxControl } from './support/sandbox-control.js';
import {
  listChoices,
  findNearest,
  renameFields,
  scriptedAgent,
  findToolName,
  type ScriptedAgent,
} from './support/scripted-agent.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/**
 * A week of a brand, run by an agent that makes typical model mistakes. Its key may refund up to a ceiling,
 * and after every error it follows the error's instructions: each step uses only information from previous
 * responses.
 */
const PER_REFUND_MINOR = 2000;
const PER_DAY_MINOR = 3000;
const SOCIAL = 'maren-holt';
const STORE = 'alder-oak';

let switchboard: Switchboard;
let operator: Operator;
let sandbox: ReturnType<typeof sandboxControl>;
beforeAll(async () => {
  switchboard = await serveSwitchboard({
    name: 'scripted_agent',
    mcp: true,
    env: { LOG_LEVEL: 'warn', SWITCHBOARD_TOOLSETS: '' },
  });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const wires = [
  { wire: 'stdio', open: (key: string) => connectMcpStreams(switchboard, key) },
  { wire: 'HTTP', open: (key: string) => connectMcpHttp(switchboard, key) },
];

describe.each(wires)('an agent over $wire', ({ wire, open }) => {
  let client: McpClient;
  let agent: ScriptedAgent;
  let social: string;
  let published: JsonObject;
  let order: JsonObject;
  beforeAll(async () => {
    const key = await operator.createKey({
      workspaceId: await operator.createWorkspace(`agent over ${wire}`),
      scopes: [...scopePresets.agent, 'refunds:write'],
      policy: {
        refundCeilings: [{ currency: 'EUR', perRefundMinor: PER_REFUND_MINOR, perDayMinor: PER_DAY_MINOR }],
      },
    });
    client = await open(key.token);
    agent = scriptedAgent(client);
  });
  afterAll(() => client?.close());

  /** The account owner receives the link and consents; the agent waits until this has happened. */
  async function completeConnect(session: JsonObject, account: string): Promise<string> {
    const [{ connection_ids: ids, ...ended }] = await Promise.all([
      agent.call('get_connect_session', { id: session['id'], wait_seconds: 20 }),
      connectSandbox(asText(session['url']), { account }),
    ]);
    expect(ended).toMatchObject({ status: 'connected', error: null });
    return (ids as string[])[0] ?? '';
  }

  const postsMade = () => sandbox.ledger('post.created', SOCIAL);

  test('reads its identity, the open actions and the existing resources', async () => {
    expect(await agent.call('whoami')).toMatchObject({
      key: { scopes: expect.arrayContaining(['posts:write', 'refunds:write']) },
      ceiling_remaining: [{ currency: 'EUR', per_refund: '20.00', per_day_left: '30.00' }],
    });
    expect(await agent.call('list_attention')).toMatchObject({ data: [] });
    const { data } = await agent.call('list_platforms');
    const ids = asObjects(data).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['sandbox_social', 'sandbox_store']));
  });

  test('posts before any account is connected, and receives a link for the account owner', async () => {
    const post = { text: 'Hello', targets: [{ platform: 'sandbox_social' }] };
    const refused = await agent.callExpectingError('create_post', post, 'post.no_targets');
    social = await completeConnect(await agent.followNext(refused), SOCIAL);
    expect(await agent.call('get_connection', { id: social })).toMatchObject({ status: 'active' });
  });

  test('misspells a platform, and finds the intended one', async () => {
    const intendedPlatform = 'sandbox_stores';
    const refused = await agent.callExpectingError(
      'connect_account',
      { platform: intendedPlatform },
      'platform.not_found',
    );
    const platforms = asObjects((await agent.followNext(refused))['data']).map(({ id }) => asText(id));
    const session = await agent.call('connect_account', {
      platform: findNearest(intendedPlatform, platforms),
    });
    expect(await completeConnect(session, STORE)).toMatch(/^con_/);
  });

  test('exceeds the text limit, invents an option and misnames a field, then sends a valid post', async () => {
    const words = `Kiln news over ${wire}. `.repeat(50);
    const draft = (fitting: string, options: object) => ({
      text: fitting.trim(),
      targets: [{ connection_id: social, options }],
    });
    const wrong = draft(words, { visability: 'public' });
    const { valid, targets } = await agent.call('validate_post', wrong);
    const [target] = asObjects(targets);
    const problems = asObjects(target?.['problems']);
    expect(valid).toBe(false);
    expect(problems.map(({ code }) => code).sort()).toEqual(['option.unknown', 'text.too_long']);
    const fitting = words.slice(0, Number(asObject(target?.['text'])['max']));

    const refused = await agent.callExpectingError('create_post', wrong, 'post.invalid');
    const offered = await agent.followNext(refused);
    const unknown = asObjects(refused['errors']).find(({ code }) => code === 'option.unknown');
    const option = findNearest(
      asText(unknown?.['path']).split('.').at(-1) ?? '',
      asObjects(offered['options']).map(({ name }) => asText(name)),
    );
    const asked = { connection_id: social };
    const misnamed = await agent.callExpectingError('get_publishing_options', asked, 'request.invalid');
    expect(await agent.call('get_publishing_options', renameFields(asked, misnamed))).toMatchObject({
      options: offered['options'],
    });

    const correctedInput = draft(fitting, { [option]: 'public' });
    expect(await agent.call('validate_post', correctedInput)).toMatchObject({ valid: true });
    published = await agent.call('create_post', correctedInput);
    expect(published).toMatchObject({ status: 'published' });
  });

  test('names a topic by its display name, learns that a retry does not help, and sends an existing topic', async () => {
    const draft = (topic: string) => ({
      text: `Sorted over ${wire}`,
      targets: [{ connection_id: social, options: { topic } }],
    });
    const before = (await postsMade()).length;
    const refused = await client.call('create_post', draft('Kiln notes'));
    const [delivery] = asObjects(refused.json['deliveries']);
    expect(delivery).toMatchObject({
      status: 'failed',
      error: { code: 'platform.refused', retryable: false, who_can_fix: 'caller' },
    });
    const [said = ''] = refused.text.split('\n');
    expect(said).not.toContain('retry_post');
    const sends = findToolName(said, await client.tools());

    const { valid, targets } = await agent.call('validate_post', draft('Kiln notes'));
    expect(valid).toBe(false);
    const [problem] = asObjects(asObjects(targets)[0]?.['problems']);
    const [meant] = asObjects(problem?.['candidates']);
    const mended = draft(asText(meant?.['value']));
    expect(await agent.call('validate_post', mended)).toMatchObject({ valid: true });
    expect(await agent.call(sends, mended)).toMatchObject({ status: 'published' });
    expect(await postsMade()).toHaveLength(before + 1);
  });

  test('posts the same again, and receives the existing post', async () => {
    const before = await postsMade();
    const again = {
      text: published['text'],
      targets: [{ connection_id: social, options: { visibility: 'public' } }],
    };
    const refused = await agent.callExpectingError('create_post', again, 'post.possible_duplicate');
    expect(await agent.followNext(refused)).toMatchObject({ id: published['id'], status: 'published' });
    expect(await postsMade()).toEqual(before);
  });

  test('confuses the year, receives the current time, and schedules correctly', async () => {
    const post = { text: `Planned over ${wire}`, targets: 'all' };
    const past = { ...post, scheduled_at: '2024-06-03T09:00:00Z' };
    const refused = await agent.callExpectingError('create_post', past, 'post.time_past');
    const now = Date.parse(asText(asObject(refused['details'])['now']));
    const soon = new Date(now + 2000).toISOString();
    const planned = await agent.call('create_post', { ...post, scheduled_at: soon, wait_seconds: 0 });
    expect(planned).toMatchObject({ status: 'scheduled', scheduled_at: soon });
    const sent = await agent.call('get_post', { id: planned['id'], wait_seconds: 20 });
    expect(sent).toMatchObject({ status: 'published' });
  });

  test('loses the response of a post and resends it, which is rejected: it is published once', async () => {
    const words = `Cut off over ${wire}`;
    await sandbox.fault({
      platform: 'social',
      kind: 'reset-after-effect',
      match: { method: 'POST', body: words },
    });
    const before = (await postsMade()).length;
    const sent = await agent.call('create_post', { text: words, targets: 'all', wait_seconds: 0 });
    const unclear = await eventually('the outcome of the post is unknown', async () => {
      const post = await agent.call('get_post', { id: sent['id'] });
      return asObjects(post['deliveries'])[0]?.['status'] === 'unknown' ? post : null;
    });
    const refused = await agent.callExpectingError(
      'retry_post',
      { id: unclear['id'] },
      'post.outcome_unknown',
    );
    await agent.followNext(refused);
    const settled = await agent.call('get_post', { id: unclear['id'], wait_seconds: 20 });
    expect(settled).toMatchObject({ status: 'published' });
    expect(await postsMade()).toHaveLength(before + 1);
  });

  test('reads the weekly metrics after correcting the name of the grouping', async () => {
    const refused = await agent.callExpectingError('get_analytics', { group_by: 'posts' }, 'request.invalid');
    const groupBy = findNearest('posts', listChoices(refused, 'group_by'));
    const report = await agent.call('get_analytics', { group_by: groupBy, connection_id: social });
    expect(report).toMatchObject({ totals: { likes: expect.any(Number), reach: null } });
    expect(asObject(report['groups'])['rows']).toHaveLength(4);
  });

  test('filters orders by an unknown state, and finds the intended ones', async () => {
    const filters = { currency: 'EUR', limit: 50 };
    const refused = await agent.callExpectingError(
      'list_orders',
      { ...filters, payment_status: ['payed'] },
      'request.invalid',
    );
    const state = findNearest('payed', listChoices(refused, 'payment_status.0'));
    const { data } = await agent.call('list_orders', { ...filters, payment_status: [state], detail: true });
    const refundable = asObjects(data).find(({ payments, totals }) => {
      const enough = parseMinor(asObject(totals)['refundable']) > 2 * PER_DAY_MINOR;
      return enough && asObjects(payments).every((payment) => payment['refundable_online'] === true);
    });
    order = refundable ?? {};
    expect(order).toMatchObject({ payment_status: 'paid', currency: 'EUR' });
  });

  test('refunds without a quote, then more than remains, then more than its key may, and finally an allowed amount once', async () => {
    const refund = (quote: JsonObject) => agent.call('refund_order', { quote_id: quote['id'] });
    const overCeiling = async (quote: JsonObject, left: JsonObject) => {
      const given = { quote_id: quote['id'] };
      const refused = await agent.callExpectingError('refund_order', given, 'key.refund_ceiling_exceeded');
      expect(refused['details']).toEqual({ ceiling_remaining: [{ currency: 'EUR', ...left }] });
      return refused;
    };
    const tooMuch = { order_id: order['id'], amount: '999999.00' };
    const unquoted = await agent.callExpectingError('refund_order', tooMuch, 'request.invalid');
    const missing = asObjects(unquoted['errors']).find(({ code }) => code === 'field.required');
    const tool = findToolName(asText(missing?.['message']), await client.tools());
    const over = await agent.callExpectingError(tool, tooMuch, 'refund.exceeds_refundable');
    expect(over['details']).toEqual({ refundable: asObject(order['totals'])['refundable'] });
    const all = await agent.followNext(over);
    expect(all['amount']).toEqual(asObject(order['totals'])['refundable']);

    const allowed = await agent.followNext(
      await overCeiling(all, { per_refund: '20.00', per_day_left: '30.00' }),
    );
    const first = await refund(allowed);
    expect(first).toMatchObject({ status: 'succeeded', amount: { amount: '20.00', currency: 'EUR' } });
    expect(await refund(allowed)).toEqual(first);

    const more = await agent.call('quote_refund', { order_id: order['id'], amount: '20.00' });
    const today = await agent.followNext(
      await overCeiling(more, { per_refund: '20.00', per_day_left: '10.00' }),
    );
    const second = await refund(today);
    expect(second).toMatchObject({ status: 'succeeded', amount: { amount: '10.00', currency: 'EUR' } });

    const last = await agent.call('quote_refund', { order_id: order['id'], amount: '1.00' });
    const nothing = await overCeiling(last, { per_refund: '20.00', per_day_left: '0.00' });
    expect(nothing).toMatchObject({ who_can_fix: 'operator', effect: 'none' });
    expect(await agent.followNext(nothing)).toMatchObject({
      payment_status: 'partially_refunded',
      totals: { refunded: { amount: '30.00', currency: 'EUR' } },
    });
    const moved = await sandbox.ledger('refund.created', STORE);
    const own = moved.filter(({ id }) => [first['external_id'], second['external_id']].includes(id));
    expect(own).toHaveLength(2);
  });

  test('loses an account, receives a reconnect link from the open actions, and the blocked post is published automatically', async () => {
    await sandbox.revokeGrants(SOCIAL);
    const post = { text: `While away over ${wire}`, targets: [{ connection_id: social }] };
    const blocked = await agent.call('create_post', post);
    expect(asObjects(blocked['deliveries'])).toMatchObject([{ status: 'blocked' }]);

    const { data } = await agent.call('list_attention');
    const [item, ...others] = asObjects(data);
    // The post that was refused for its topic.
    expect(others.map(({ kind }) => kind)).toEqual(['post_failed']);
    expect(item).toMatchObject({ kind: 'connection_needs_reauth', connection_id: social });
    expect(await completeConnect(await agent.followNext(item ?? {}), SOCIAL)).toBe(social);

    const sent = await agent.call('get_post', { id: blocked['id'], wait_seconds: 20 });
    expect(sent).toMatchObject({ status: 'published' });
    expect(await agent.call('list_attention')).toMatchObject({ data: [{ kind: 'post_failed' }] });
  });
});
