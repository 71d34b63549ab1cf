import { failure } from '@switchboard/domain';
import { refusal, type Answer } from '@switchboard/operations';
import type { During, Question } from './answers.js';

type Ask = NonNullable<During['ask']>;

/** What is known of a refund that waits for a yes, as its failure tells it: numbers and sentences of ours only. */
interface Waiting {
  readonly orderId: string;
  readonly orderNumber: string | null;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly expiresAt: Date;
  readonly consequences: readonly string[];
}

/**
 * Asks the person where an answer says that one has to agree first, and goes on with what they say. Everything was checked
 * before they are bothered and is checked again after it: while they think, nothing is held and anything may change.
 */
export async function confirmed(
  answer: Answer,
  { ask, requestId }: { readonly ask: Ask; readonly requestId: string },
  goOn: () => Promise<Answer>,
): Promise<Answer> {
  if (answer.failure?.code !== 'refund.not_confirmed') return answer;
  const waiting = answer.failure.details as unknown as Waiting;
  // A client that fails to ask, or lets too much time pass, has not said yes.
  const said = await ask(questionOf(waiting)).catch(() => 'cancelled' as const);
  if (said === 'accepted') return goOn();
  const { scopes, allowance } = answer;
  const no = failure('refund.not_confirmed', sentences[said](waiting.expiresAt), {
    whoCanFix: 'account_owner',
  });
  return { ...refusal(no, requestId), scopes, allowance };
}

export function questionOf({ orderId, orderNumber, amount, consequences }: Waiting): Question {
  const sum = `${amount.amount} ${amount.currency}`;
  return {
    message: [
      `Refund ${sum} of order ${orderNumber ?? orderId}?`,
      ...consequences,
      'An agent asks for this. Say no unless you want it.',
    ].join('\n'),
    label: `Yes, refund ${sum}`,
  };
}

const sentences: Readonly<Record<'declined' | 'cancelled', (until: Date) => string>> = {
  declined: () =>
    'The person who was asked said no. Nothing was refunded. Do not ask for it again unless they tell you to.',
  cancelled: (until) =>
    `The person could not be asked, or did not answer. Nothing was refunded, and the quote stays good until ${until.toISOString()}. Talk to them before you call refund_order again.`,
};
