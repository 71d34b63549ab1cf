import { handleRefundRequest } from './prompts/handle-refund-request.js';
import { planWeek } from './prompts/plan-week.js';
import { reviewPerformance } from './prompts/review-performance.js';

/** What the values of an argument are: ids of something, or one of these. */
export type Completable = 'platforms' | 'connections' | 'posts' | 'profiles' | readonly string[];

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly completable?: Completable;
  /** What is wrong with a value, as the end of a sentence that begins with the name; null when nothing is. */
  readonly validate?: (value: string) => string | null;
}

/** A task that a person may choose from a menu, written out for an agent. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Without one of these tools the task is none. */
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** What is wrong with the arguments together; null when nothing is. */
  readonly validateTogether?: (promptArguments: PromptArguments) => string | null;
  /** The steps, naming no tool but those that are in reach. */
  readonly render: (promptArguments: PromptArguments, isAvailable: (tool: string) => boolean) => PromptText;
}

/** The arguments that were given and hold something. */
export type PromptArguments = Readonly<Record<string, string>>;

export interface PromptText {
  readonly task: string;
  readonly steps: readonly string[];
}

/** In the order in which they are listed. */
export const prompts: readonly Prompt[] = [planWeek, reviewPerformance, handleRefundRequest];
