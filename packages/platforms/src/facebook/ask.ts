import type { PlatformFailureCode, PlatformRequest, Result, Session } from '@switchboard/domain';
import type { z } from 'zod';
import { askGraph, type GraphError } from '../kit/graph.js';
import { manifest } from './manifest.js';

/** Asks Facebook, and reads its answer. `onRefusal` may answer for some of the refusals first. */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (error: GraphError) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askGraph(session, manifest.name, request, schema, onRefusal);
