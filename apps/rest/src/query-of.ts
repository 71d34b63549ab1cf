export function queryOf(url: string): URLSearchParams {
  const from = url.indexOf('?');
  return new URLSearchParams(
    from < 0
      ? ''
      : url
          .slice(from + 1)
          .split('#', 1)
          .join(),
  );
}
