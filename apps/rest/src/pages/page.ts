import type { Workspace } from '@switchboard/domain';
import type { Translator } from '../texts/translator.js';
import type { Markup } from './html.js';

/** Whose page it is, as far as that is known. */
export type Brand = Pick<
  Workspace,
  'name' | 'displayName' | 'logoUrl' | 'accentColor' | 'supportEmail' | 'privacyUrl'
>;

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly content: Markup;
  /** The language it is written in. */
  readonly translator: Translator;
  /** Null where nobody is known, or may be named. */
  readonly brand: Brand | null;
  /** Where its forms may lead in the end, besides ourselves: sources as the policy's `form-action` takes them. */
  readonly formTargets?: readonly string[] | undefined;
}

export const nameOf = ({ displayName, name }: Brand): string => displayName ?? name;
