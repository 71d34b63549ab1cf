import { Secret } from '../secret.js';

/** What is sealed for the time that a person is at a platform. */
export interface FlowContext {
  /** Of the link that led there: what comes back goes on where it began. */
  readonly token: string;
  /** What the authorizer needs back. */
  readonly context: Secret;
}

export const serializeFlowContext = ({ token, context }: FlowContext): Secret =>
  new Secret(JSON.stringify([token, context.reveal()]));

export function parseFlowContext(secret: Secret): FlowContext {
  const [token, context] = JSON.parse(secret.reveal()) as readonly [string, string];
  return { token, context: new Secret(context) };
}
