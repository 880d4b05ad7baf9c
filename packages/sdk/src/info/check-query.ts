import { checkShape, INFO_SHAPES, type WireError } from '@oddlot/protocol';

/** What the venue would refuse a query for, found before it is sent. */
export function checkQuery(request: unknown): WireError | undefined {
  const { type } = request as { readonly type: string };
  const shape = INFO_SHAPES[type];
  return shape === undefined ? undefined : checkShape(shape, request);
}
