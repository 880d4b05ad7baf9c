import type {
  Authority,
  RegisterVaultCommand,
  SetGateCommand,
  SetOperatorsCommand,
  TreasurySendCommand,
} from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { exactCount } from './count.ts';
import { amountOf } from './money.ts';

/**
 * The operator's actions on accounts: who may trade, which are vaults, who gets collected fees, who
 * operates.
 */

type VenueAdmin = ActionOf<'venueAdmin'>;
type Signed<Of> = Of & { readonly operator: Authority };

const SHARE_DECIMALS = 6;

export function setGate(
  wire: NonNullable<VenueAdmin['setGate']>,
  operator: Authority,
): Signed<SetGateCommand> {
  const { channel, mode, whitelist, blacklist, accessCodes, grants } = wire;
  return {
    type: 'setGate',
    operator,
    channel,
    ...(mode === undefined ? {} : { mode }),
    ...(whitelist === undefined ? {} : { whitelist: changesOf(whitelist) }),
    ...(blacklist === undefined ? {} : { blacklist: changesOf(blacklist) }),
    ...(accessCodes === undefined ? {} : { accessCodes: changesOf(accessCodes) }),
    ...(grants === undefined ? {} : { grants: changesOf(grants) }),
  };
}

/** A change of a list without the halves that were not sent. */
function changesOf<Added, Removed>({
  add,
  remove,
}: {
  readonly add?: readonly Added[] | undefined;
  readonly remove?: readonly Removed[] | undefined;
}): { readonly add?: readonly Added[]; readonly remove?: readonly Removed[] } {
  return { ...(add === undefined ? {} : { add }), ...(remove === undefined ? {} : { remove }) };
}

export function registerVault(
  { vault, leader, name, shares }: NonNullable<VenueAdmin['registerVault']>,
  operator: Authority,
): Signed<RegisterVaultCommand> {
  const rows = shares?.map((row) => ({
    user: row.user,
    shares: exactCount(row.shares, SHARE_DECIMALS),
  }));
  const register = rows === undefined ? {} : { shares: rows };
  return { type: 'registerVault', operator, vault, leader, name, ...register };
}

export function setOperators(
  { role, add, remove }: NonNullable<VenueAdmin['setOperators']>,
  operator: Authority,
): Signed<SetOperatorsCommand> {
  return { type: 'setOperators', operator, role, ...changesOf({ add, remove }) };
}

export function treasurySend(
  { destination, amount }: NonNullable<VenueAdmin['treasurySend']>,
  operator: Authority,
): Signed<TreasurySendCommand> {
  return { type: 'treasurySend', operator, destination, ...amountOf(amount) };
}
