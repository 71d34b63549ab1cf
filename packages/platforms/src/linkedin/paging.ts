import { z } from 'zod';

/** How many of a list are asked for at once. */
export const PAGE = 100;

const paging = z.object({ links: z.array(z.object({ rel: z.string().nullish() })).nullish() }).nullish();

/** A list, of which a page may have fewer than were asked for though more come after it. */
export const listOf = <One>(one: z.ZodType<One>) => z.object({ elements: z.array(one), paging });

/** Where the next page begins; undefined: there is none. */
export function nextStart(
  start: number,
  {
    elements,
    paging: told,
  }: { readonly elements: readonly unknown[]; readonly paging?: z.infer<typeof paging> },
): number | undefined {
  const goesOn = elements.length >= PAGE || told?.links?.some(({ rel }) => rel === 'next');
  return elements.length > 0 && goesOn ? start + PAGE : undefined;
}
