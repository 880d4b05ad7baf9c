import { bytesToHex, utf8 } from '../bytes.ts';
import { nobleKeccak } from '../signing/hasher.ts';
import type { OutcomeResolution, OutcomeResolutionInputs } from './outcome-answers.ts';

/**
 * The hash of a settlement's receipt: keccak-256 of its JSON text without spaces and without the
 * hash itself, in the key order of the interface, whatever order the given object has.
 */
export function receiptHash(receipt: Omit<OutcomeResolution, 'receiptHash'>): string {
  const text = JSON.stringify({
    instrumentId: receipt.instrumentId,
    resolutionStatus: receipt.resolutionStatus,
    settlementFraction: receipt.settlementFraction,
    winningOutcome: receipt.winningOutcome,
    resolvedTime: receipt.resolvedTime,
    block: receipt.block,
    by: receipt.by,
    txHash: receipt.txHash,
    oracleOutcome: receipt.oracleOutcome,
    evidence: receipt.evidence,
    inputs: receipt.inputs === null ? null : inOrder(receipt.inputs),
  });
  return bytesToHex(nobleKeccak(utf8(text)));
}

function inOrder(inputs: OutcomeResolutionInputs): OutcomeResolutionInputs {
  const { formula, settle, settleSamples, source, strike, strikeSamples, symbol, windowMs } =
    inputs;
  return {
    symbol,
    source,
    windowMs,
    strike,
    settle,
    strikeSamples: strikeSamples.map(({ t, px }) => ({ t, px })),
    settleSamples: settleSamples.map(({ t, px }) => ({ t, px })),
    formula,
  };
}
