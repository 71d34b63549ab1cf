import { Secret } from '../secret.js';

/** The data that is sealed while a person is at a platform's consent page. */
interface FlowContext {
  /** The token of the link, so that the callback continues its session. */
  readonly token: string;
  /** What the authorizer needs at the callback. */
  readonly context: Secret;
}

export const serializeFlowContext = ({ token, context }: FlowContext): Secret =>
  new Secret(JSON.stringify([token, context.reveal()]));

export function parseFlowContext(secret: Secret): FlowContext {
  const [token, context] = JSON.parse(secret.reveal()) as readonly [string, string];
  return { token, context: new Secret(context) };
}
