import { checkResolution, createReader, type ResolutionFinding } from '@oddlot/sdk';

/**
 * Computes a settlement again, in the browser, from what the venue has to the letter: texts that are shown were
 * freed of signs that turn them, and would have another hash. It hashes, so it is loaded when somebody asks.
 */
export async function recompute(instrumentId: number): Promise<readonly ResolutionFinding[]> {
  const { info } = createReader({ url: location.origin });
  return checkResolution(await info.outcomeResolution({ instrumentId }));
}
