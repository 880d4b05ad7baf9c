import type { Command, OperatorCommand } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';

/** The fields of a multiSig request that are outside its inner action. */
const OUTSIDE = /^(nonce|vaultAddress|expiresAfter|signatures\b|payload\.)/;

/** The field of an operator's action that holds the fields of each command. */
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

/** Adds the variant of an operator's action to the field's path, as in the request. */
export function insideVariant(error: WireError, command: Command['type'] | undefined): WireError {
  const variants: Readonly<Partial<Record<Command['type'], string>>> = VARIANTS;
  const variant = command === undefined ? undefined : variants[command];
  const field = error.details?.field;
  if (variant === undefined || field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `${variant}.${field}` } };
}

/** Adds the multiSig wrapper to the field's path, as in the request. */
export function insideWrapper(error: WireError): WireError {
  const field = error.details?.field;
  if (field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `payload.action.${field}` } };
}
