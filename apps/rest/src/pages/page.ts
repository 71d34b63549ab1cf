import type { ConnectPageView } from '@switchboard/domain/connections';
import type { Workspace } from '@switchboard/domain/workspaces';
import type { Translator } from '../texts/translator.js';
import { isolateName } from './isolate-name.js';
import type { Markup, Piece } from './html.js';

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
  /** Whether it shows images and videos that we serve. */
  readonly showsMedia?: boolean | undefined;
  /** Null on pages where no account is connected; by default, how credentials of accounts are stored. */
  readonly footer?: null | undefined;
}

/** The name that the first start gives a workspace and its profile: it tells a visitor nothing. */
export const UNNAMED = 'default';

/** Null when the operator has given the workspace no name. */
export const nameOf = ({ displayName, name }: Pick<Brand, 'displayName' | 'name'>): string | null =>
  displayName ?? (name === UNNAMED ? null : name);

/** Who asks and for which profile, as slots of the texts. `Who` begins a sentence. */
export function namesOf(
  { workspace, profile }: Pick<ConnectPageView, 'workspace' | 'profile'>,
  translator: Translator,
): Readonly<Record<'who' | 'Who' | 'forProfile', Piece>> {
  const name = nameOf(workspace);
  const unnamed = translator.text('thisApplication');
  const forProfile =
    profile.name === UNNAMED ? '' : translator.markup('forProfile', { profile: isolateName(profile.name) });
  return name === null
    ? { who: unnamed, Who: unnamed.charAt(0).toUpperCase() + unnamed.slice(1), forProfile }
    : { who: isolateName(name), Who: isolateName(name), forProfile };
}
