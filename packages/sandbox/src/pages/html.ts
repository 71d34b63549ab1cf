/** Text that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type MarkupPart = Markup | string | number | null | undefined | false | readonly MarkupPart[];

/** Escapes every value that is not markup itself, so that user text can never become part of a page. */
export function html(strings: TemplateStringsArray, ...pieces: readonly MarkupPart[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + render(pieces[index - 1]) + string));
}

function render(piece: MarkupPart): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(render).join('');
  return escape(String(piece));
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
