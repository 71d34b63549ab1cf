/** PostgreSQL stores no NUL, and a lone surrogate is not a character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
