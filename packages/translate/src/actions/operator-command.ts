import type {
  Authority,
  MarginTier,
  PerpChanges,
  PerpListing,
  PushOracleCommand,
  RegisterVaultCommand,
  SetGateCommand,
  SetOperatorsCommand,
  TreasurySendCommand,
} from '@oddlot/engine';
import type { ActionOf } from '@oddlot/protocol';
import { type InstrumentId, MONEY_DECIMALS, type TimeMs } from '@oddlot/units';
import type { SignedOperatorCommand } from '@oddlot/replica/block';
import { exactCount, nearestCount } from './count.ts';
import type { ScaleLookup } from '../instruments.ts';
import { amountOf } from './account.ts';
import type { ActionTranslations } from './translation.ts';

type VenueAdmin = ActionOf<'venueAdmin'>;
type RegisterPerp = NonNullable<VenueAdmin['registerPerp']>;
type SetPerp = NonNullable<VenueAdmin['setPerp']>;
type PushOracle = NonNullable<VenueAdmin['pushOracle']>;
type WireTiers = RegisterPerp['marginTable']['tiers'];

const RATE_DECIMALS = 8;

/**
 * Builds the command for the action's one variant. The engine checks whether the sender has
 * permission.
 */
function operatorCommand(
  action: VenueAdmin,
  operator: Authority,
  instruments: ScaleLookup,
): SignedOperatorCommand {
  const { registerPerp, setPerp, pushOracle, setFeeTiers } = action;
  if (action.setGate !== undefined) return setGate(action.setGate, operator);
  if (action.registerVault !== undefined) return registerVault(action.registerVault, operator);
  if (action.treasurySend !== undefined) return treasurySend(action.treasurySend, operator);
  if (action.setOperators !== undefined) return setOperators(action.setOperators, operator);
  if (registerPerp !== undefined) {
    return { type: 'registerPerp', operator, perp: listing(registerPerp) };
  }
  if (setPerp !== undefined) {
    const { instrumentId, haltTrading, delisted } = setPerp;
    return {
      type: 'setPerp',
      operator,
      instrumentId: instrumentId as InstrumentId,
      ...(haltTrading === undefined ? {} : { halted: haltTrading }),
      ...(delisted === undefined ? {} : { delisted }),
      // The scale of an unknown perp does not matter, because the engine rejects the command before
      // reading the numbers.
      changes: changes(setPerp, instruments(instrumentId)?.szDecimals ?? 0),
    };
  }
  if (pushOracle !== undefined) return push(pushOracle, operator, instruments);
  const tiers = (setFeeTiers?.tiers ?? []).map((tier) => ({
    level: tier.level,
    minVolumeMicroUsdc: exactCount(tier.min14dTradingVolume, MONEY_DECIMALS),
    makerFeeE8: rate(tier.perpMakerFeeRate),
    takerFeeE8: rate(tier.perpTakerFeeRate),
  }));
  return { type: 'setFeeTiers', operator, tiers };
}

function listing(wire: RegisterPerp): PerpListing {
  const { szDecimals, instrumentId, asset, markBand, premiumCap } = wire;
  return {
    name: wire.name,
    baseCurrency: wire.baseCurrency,
    quoteCurrency: wire.quoteCurrency,
    szDecimals,
    priceTick: price(wire.priceTick, szDecimals),
    bookTicks: wire.bookTicks.map((tick) => price(tick, szDecimals)),
    maxLimitOrderSize: exactCount(wire.maxLimitOrderSize, szDecimals),
    maxMarketOrderSize: exactCount(wire.maxMarketOrderSize, szDecimals),
    takerFeeE8: rate(wire.takerFeeRate),
    makerFeeE8: rate(wire.makerFeeRate),
    onlyIsolated: wire.onlyIsolated,
    impactNotionalMicroUsdc: exactCount(wire.impactNotional, MONEY_DECIMALS),
    ...(markBand === undefined ? {} : { markBandE8: rate(markBand) }),
    ...(premiumCap === undefined ? {} : { premiumCapE8: rate(premiumCap) }),
    tiers: tiersOf(wire.marginTable.tiers, szDecimals),
    ...(asset === undefined ? {} : { asset }),
    tagIds: wire.tagIds ?? [],
    ...(instrumentId === undefined ? {} : { instrumentId: instrumentId as InstrumentId }),
  };
}

function changes(wire: SetPerp, szDecimals: number): PerpChanges {
  const { bookTicks, impactNotional, makerFeeRate, marginTable, markBand, onlyIsolated } = wire;
  const { maxLimitOrderSize, maxMarketOrderSize, premiumCap, priceTick, tagIds, takerFeeRate } =
    wire;
  const whenSet = <Value, Out extends object>(
    value: Value | undefined,
    change: (value: Value) => Out,
  ): Out | object => (value === undefined ? {} : change(value));
  return {
    ...whenSet(onlyIsolated, (value) => ({ onlyIsolated: value })),
    ...whenSet(takerFeeRate, (text) => ({ takerFeeE8: rate(text) })),
    ...whenSet(makerFeeRate, (text) => ({ makerFeeE8: rate(text) })),
    ...whenSet(priceTick, (text) => ({ priceTick: price(text, szDecimals) })),
    ...whenSet(bookTicks, (texts) => ({
      bookTicks: texts.map((text) => price(text, szDecimals)),
    })),
    ...whenSet(maxLimitOrderSize, (text) => ({ maxLimitOrderSize: exactCount(text, szDecimals) })),
    ...whenSet(maxMarketOrderSize, (text) => ({
      maxMarketOrderSize: exactCount(text, szDecimals),
    })),
    ...whenSet(impactNotional, (text) => ({
      impactNotionalMicroUsdc: exactCount(text, MONEY_DECIMALS),
    })),
    ...whenSet(markBand, (text) => ({ markBandE8: rate(text) })),
    ...whenSet(premiumCap, (text) => ({ premiumCapE8: rate(text) })),
    ...whenSet(marginTable, ({ tiers }) => ({ tiers: tiersOf(tiers, szDecimals) })),
    ...whenSet(tagIds, (value) => ({ tagIds: value })),
  };
}

function push(
  wire: PushOracle,
  operator: Authority,
  instruments: ScaleLookup,
): PushOracleCommand & {
  operator: Authority;
} {
  const prices = wire.prices.map(({ instrumentId, oraclePx, externalPerpPx }) => {
    const decimals = MONEY_DECIMALS - (instruments(instrumentId)?.szDecimals ?? MONEY_DECIMALS);
    const oracle = nearestCount(oraclePx, decimals);
    const id = instrumentId as InstrumentId;
    if (externalPerpPx === null) return { instrumentId: id, oracle };
    return { instrumentId: id, oracle, external: nearestCount(externalPerpPx, decimals) };
  });
  return { type: 'pushOracle', operator, prices, observedMs: wire.time as TimeMs };
}

function tiersOf(tiers: WireTiers, szDecimals: number): MarginTier[] {
  return tiers.map(({ tier, minSize, maxSize, maxLeverage, mmr }) => ({
    tier,
    minSize: exactCount(minSize, szDecimals),
    maxSize: exactCount(maxSize, szDecimals),
    maxLeverage,
    mmrE8: rate(mmr),
  }));
}

function price(text: string, szDecimals: number): number {
  return exactCount(text, MONEY_DECIMALS - szDecimals);
}

function rate(text: string): number {
  return exactCount(text, RATE_DECIMALS);
}

type Signed<Of> = Of & { readonly operator: Authority };

const SHARE_DECIMALS = 6;

function setGate(
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

function changesOf<Added, Removed>({
  add,
  remove,
}: {
  readonly add?: readonly Added[] | undefined;
  readonly remove?: readonly Removed[] | undefined;
}): { readonly add?: readonly Added[]; readonly remove?: readonly Removed[] } {
  return { ...(add === undefined ? {} : { add }), ...(remove === undefined ? {} : { remove }) };
}

function registerVault(
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

function setOperators(
  { role, add, remove }: NonNullable<VenueAdmin['setOperators']>,
  operator: Authority,
): Signed<SetOperatorsCommand> {
  return { type: 'setOperators', operator, role, ...changesOf({ add, remove }) };
}

function treasurySend(
  { destination, amount }: NonNullable<VenueAdmin['treasurySend']>,
  operator: Authority,
): Signed<TreasurySendCommand> {
  return { type: 'treasurySend', operator, destination, ...amountOf(amount) };
}

export const OPERATOR_ACTIONS = {
  venueAdmin: {
    commands: [
      'registerPerp',
      'setPerp',
      'pushOracle',
      'setFeeTiers',
      'setGate',
      'registerVault',
      'treasurySend',
      'setOperators',
    ],
    toCommand: operatorCommand,
  },
} as const satisfies ActionTranslations;
