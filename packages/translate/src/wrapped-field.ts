import type { Command, OperatorCommand } from '@oddlot/engine';
import type { WireError } from '@oddlot/protocol';

/** Fields of a multiSig request that are outside its inner action. */
const OUTSIDE = /^(nonce|vaultAddress|expiresAfter|signatures\b|payload\.)/;

/** The part of an operator's action that became the command and contains its fields. */
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

/** The error of an operator's action, with the field's path in the request. */
export function insideVariant(error: WireError, command: Command['type'] | undefined): WireError {
  const variants: Readonly<Partial<Record<Command['type'], string>>> = VARIANTS;
  const variant = command === undefined ? undefined : variants[command];
  const field = error.details?.field;
  if (variant === undefined || field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `${variant}.${field}` } };
}

/** The error of an action in a multiSig wrapper, with the field's path in the request. */
export function insideWrapper(error: WireError): WireError {
  const field = error.details?.field;
  if (field === undefined || OUTSIDE.test(field)) return error;
  return { ...error, details: { ...error.details, field: `payload.action.${field}` } };
}
