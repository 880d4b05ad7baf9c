import type { Command, OperatorCommand } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';

/** Fields that a request with a multiSig wrapper has outside of the action that it carries. */
const OUTSIDE = /^(nonce|vaultAddress|expiresAfter|signatures\b|payload\.)/;

/** The part of an operator's action that a command came from, which its fields stand in. */
const VARIANTS: Readonly<Record<OperatorCommand['type'], string>> = {
  registerPerp: 'registerPerp',
  setPerp: 'setPerp',
  pushOracle: 'pushOracle',
  setFeeTiers: 'setFeeTiers',
  setGate: 'setGate',
  registerVault: 'registerVault',
  treasurySend: 'treasurySend',
  setOperators: 'setOperators',
  registerEvent: 'registerEvent',
  registerMarket: 'registerMarket',
  registerSeries: 'registerSeries',
  setTrading: 'setTrading',
  pushPrice: 'pushPrice',
  resolveMarket: 'resolve',
};

/** The refusal of an operator's action, with its field where the client wrote it. */
export function insideVariant(error: WireError, command: Command['type'] | undefined): WireError {
  const variants: Readonly<Partial<Record<Command['type'], string>>> = VARIANTS;
  const variant = command === undefined ? undefined : variants[command];
  const field = error.details?.field;
  if (variant === undefined || field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `${variant}.${field}` } };
}

/** The refusal of an action that came in a multiSig wrapper, with its field where the client wrote it. */
export function insideWrapper(error: WireError): WireError {
  const field = error.details?.field;
  if (field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `payload.action.${field}` } };
}
