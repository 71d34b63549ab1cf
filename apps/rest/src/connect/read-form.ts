import { failure, ok, refuseWith, type Result } from '@switchboard/domain';
import express, { type Request, type Response } from 'express';

const FORM = 'application/x-www-form-urlencoded';
const parse = express.text({ type: FORM, limit: 16 * 1024 });

/** The fields of a form, each at most once. */
export async function readForm(
  request: Request,
  response: Response,
): Promise<
  Result<
    ReadonlyMap<string, string>,
    'request.invalid' | 'request.too_large' | 'request.unsupported_media_type'
  >
> {
  if (!request.is(FORM)) return refuseWith(failure('request.unsupported_media_type', 'Send a form.'));
  const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (error) {
    const tooLarge = (error as { status?: number }).status === 413;
    return refuseWith(
      failure(tooLarge ? 'request.too_large' : 'request.invalid', 'The form could not be read.'),
    );
  }
  const body: unknown = request.body;
  return uniqueParameters(new URLSearchParams(typeof body === 'string' ? body : ''));
}

/** Repeated parameters are rejected: two readers could see different values. */
export function uniqueParameters(
  parameters: URLSearchParams,
): Result<ReadonlyMap<string, string>, 'request.invalid'> {
  const fields = new Map(parameters);
  return fields.size === parameters.size
    ? ok(fields)
    : refuseWith(failure('request.invalid', 'Each field may appear only once.'));
}
