import { handleRefundRequest } from './handle-refund-request.js';
import { planWeek } from './plan-week.js';
import { reviewPerformance } from './review-performance.js';

/** The values of an argument: ids of a resource, or a fixed list. */
export type Completable = 'platforms' | 'connections' | 'posts' | 'profiles' | readonly string[];

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly completable?: Completable;
  /** The defect of a value, as the end of a sentence that starts with the name; null when it is valid. */
  readonly validate?: (value: string) => string | null;
}

/** A task that a person can choose from a menu, written out for an agent. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tools without which the task is not possible. */
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** The defect of the combined arguments; null when they are valid. */
  readonly validateTogether?: (promptArguments: PromptArguments) => string | null;
  /** The steps, which name only available tools. */
  readonly render: (promptArguments: PromptArguments, isAvailable: (tool: string) => boolean) => PromptText;
}

/** The arguments with a non-empty value. */
export type PromptArguments = Readonly<Record<string, string>>;

interface PromptText {
  readonly task: string;
  readonly steps: readonly string[];
}

/** In the order of the listing. */
export const prompts: readonly Prompt[] = [planWeek, reviewPerformance, handleRefundRequest];
