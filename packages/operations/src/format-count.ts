/** "1 post", "3 posts". */
export const formatCount = (count: number, thing: string): string =>
  `${count.toLocaleString('en-US')} ${thing}${count === 1 ? '' : 's'}`;

interface ListPage {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** "20 posts, and more follow": the content of a page of a list, without a period. */
export const formatPageCount = ({ data, next_cursor }: ListPage, thing: string): string =>
  `${formatCount(data.length, thing)}${next_cursor === null ? '' : ', and more follow with next_cursor'}`;
