import { refusal } from '@oddlot/protocol';
import { gotten, type Translations } from './context.ts';

/** Refusals of the operator's actions. */

/** The wire's names of fields that the engine calls otherwise. */
const FIELDS: Readonly<Record<string, string>> = {
  takerFeeE8: 'takerFeeRate',
  makerFeeE8: 'makerFeeRate',
  markBandE8: 'markBand',
  impactNotionalMicroUsdc: 'impactNotional',
};

export const OPERATOR = {
  // The engine names its own command; on the wire all of them are one action.
  operatorUnknown: ({ signer }) => refusal('signerNotPermitted', ['venueAdmin'], { got: signer }),
  instrumentIdUsed: ({ instrumentId }) =>
    refusal('instrumentIdUsed', [instrumentId], { field: 'instrumentId', got: instrumentId }),
  nameUsed: ({ name }) => refusal('nameUsed', [name], { field: 'name', ...gotten(name) }),
  definitionInvalid: ({ field }) => {
    const name = FIELDS[field] ?? field;
    return refusal('wrongType', [name], { field: name });
  },
  marginTableInvalid: ({ why }) => refusal('invalidMarginTable', [why], { field: 'marginTable' }),
  feeTiersInvalid: () => refusal('wrongType', ['tiers'], { field: 'tiers' }),
} satisfies Partial<Translations>;
