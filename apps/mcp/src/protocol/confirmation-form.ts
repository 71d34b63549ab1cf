import type { Question } from '@switchboard/operations';
import type { Decision } from './mcp-handlers.js';

/** The form that a client shows to the person: one checkbox, not ticked. */
export const confirmationForm = ({ message, label: title }: Question) => ({
  mode: 'form' as const,
  message,
  requestedSchema: {
    type: 'object' as const,
    properties: { confirmed: { type: 'boolean' as const, title, default: false } },
    required: ['confirmed'],
  },
});

/**
 * The decision in a client's response to the form; null for a response that is none. A form that was
 * submitted without the checkbox declines.
 */
export function toDecision(response: unknown): Decision | null {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: { confirmed?: unknown } };
  switch (action) {
    case 'accept':
      return content?.confirmed === true ? 'accepted' : 'declined';
    case 'decline':
      return 'declined';
    case 'cancel':
      return 'cancelled';
    default:
      return null;
  }
}
