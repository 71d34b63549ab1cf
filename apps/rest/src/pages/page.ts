import type { Workspace } from '@switchboard/domain/workspaces';
import type { Translator } from '../texts/translator.js';
import type { Markup } from './html.js';

/** The owner of the page, as far as it is known. */
export type Brand = Pick<
  Workspace,
  'name' | 'displayName' | 'logoUrl' | 'accentColor' | 'supportEmail' | 'privacyUrl'
>;

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
  /** The language of the page. */
  readonly translator: Translator;
  /** Null when the owner is unknown or must not be named. */
  readonly brand: Brand | null;
  /** The addresses to which its forms may lead besides our own: sources for the policy's `form-action`. */
  readonly formTargets?: readonly string[] | undefined;
}

export const nameOf = ({ displayName, name }: Brand): string => displayName ?? name;
