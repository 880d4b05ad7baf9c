import { checkResolution, type ResolutionFinding } from '@oddlot/sdk';
import { letterReader } from '../../market/venue.ts';

/** Uses unmodified texts, because displayed ones lack direction characters and hash differently. */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  return checkResolution(await letterReader.info.outcomeResolution({ instrumentId }));
}
