import { refusal } from '@oddlot/protocol';
import { actionTypeNamed } from '../action-to-command.ts';
import { formatRate } from '../format.ts';
import { gotDetails, type Translations } from './context.ts';

/** The API names of fields that are named differently in the engine. */
const FIELDS: Readonly<Record<string, string>> = {
  takerFeeE8: 'takerFeeRate',
  makerFeeE8: 'makerFeeRate',
  markBandE8: 'markBand',
  premiumCapE8: 'premiumCap',
  impactNotionalMicroUsdc: 'impactNotional',
};

export const OPERATOR = {
  // The engine reports its command, but several commands can correspond to one API action.
  operatorUnknown: ({ signer, action }) =>
    refusal('signerNotPermitted', [actionTypeNamed(action)], { got: signer }),
  // Only the venue itself sends commands with a term, so clients never receive this message.
  termOver: ({ current, lease }) => {
    const why = `${lease} is in term ${current}`;
    return refusal('invalidValue', ['term', why], { field: 'term', why });
  },
  adminsNone: () => refusal('adminsNone', [], { field: 'remove' }),
  instrumentIdUsed: ({ instrumentId }) =>
    refusal('instrumentIdUsed', [instrumentId], { field: 'instrumentId', got: instrumentId }),
  nameUsed: ({ name }) => refusal('nameUsed', [name], { field: 'name', ...gotDetails(name) }),
  definitionInvalid: ({ field, why }) => {
    const path = FIELDS[field] ?? field;
    return refusal('invalidValue', [lastName(path), why], { field: path, why });
  },
  marginTableInvalid: ({ why }) => refusal('invalidMarginTable', [why], { field: 'marginTable' }),
  markBandInvalid: ({ gotE8, maxE8 }) => {
    const max = formatRate(maxE8);
    const got = formatRate(gotE8);
    return refusal('invalidMarkBand', [`above ${max}`], {
      field: 'markBand',
      got,
      allowed: { max },
    });
  },
  feeTiersInvalid: ({ why }) => refusal('invalidValue', ['tiers', why], { field: 'tiers', why }),
} satisfies Partial<Translations>;

/**
 * Returns the last name of a path, such as `code` for `grants.add[3].code`, as in schema errors.
 */
function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
