import { checkShape, SERVICE_SHAPES, type ServiceRequestName } from '@oddlot/protocol';
import { ValidationError } from '../errors.ts';

/** Finds what an endpoint beside /info and /exchange would refuse for its form. */
export function checkServiceRequest(name: ServiceRequestName, request: object): void {
  const fault = checkShape(SERVICE_SHAPES[name]!, request);
  if (fault !== undefined) throw ValidationError.of(fault);
}
