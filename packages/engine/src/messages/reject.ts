import type { Address, InstrumentId, MicroUsdc } from '@oddlot/units';
import type { Exchange } from './command.ts';

/** The exclusive bounds on currently valid nonces (R-nonce). */
export type NonceBounds = { readonly minExclusive: number; readonly maxExclusive: number };

/**
 * The reason a command, or one of its orders, was rejected. The order of this list is the order of
 * the checks, so the result is unambiguous if several reasons apply. Each reason includes the
 * numbers that its message needs.
 */
export type Reject =
  // The following reasons concern authorization, in the order of the checks: nonce window, role,
  // vault, account, gate, expiry, nonce.
  | ({ readonly reason: 'nonceTooOld' } & NonceBounds)
  | ({ readonly reason: 'nonceTooNew' } & NonceBounds)
  | ({ readonly reason: 'nonceBeforeLog' } & NonceBounds)
  | { readonly reason: 'agentUnknown'; readonly signer: Address }
  | { readonly reason: 'accountUnknown'; readonly signer: Address }
  | { readonly reason: 'depositFirst'; readonly signer: Address }
  | { readonly reason: 'multiSigUnknown'; readonly user: Address }
  | { readonly reason: 'signerNotInSet'; readonly signer: Address; readonly user: Address }
  | {
      readonly reason: 'signaturesMissing';
      readonly count: number;
      readonly threshold: number;
    }
  | { readonly reason: 'multiSigRequired' }
  | { readonly reason: 'vaultUnknown'; readonly vault: Address }
  | { readonly reason: 'vaultLeaderDiffers'; readonly vault: Address }
  | { readonly reason: 'gated'; readonly gate: GateRefusal; readonly channel: Exchange }
  | { readonly reason: 'actionExpired'; readonly expiresAfterMs: number; readonly timeMs: number }
  | { readonly reason: 'nonceUsed' }
  | { readonly reason: 'nonceTooLow'; readonly floor: number }
  | { readonly reason: 'agentLabelTooLong' }
  | { readonly reason: 'agentIsSelf' }
  | { readonly reason: 'agentLabelUnknown' }
  | { readonly reason: 'agentAddressUsed' }
  | { readonly reason: 'agentsFull' }
  | { readonly reason: 'builderInvalid' }
  | { readonly reason: 'builderIsSelf' }
  | { readonly reason: 'builderFeeInvalid' }
  | { readonly reason: 'buildersFull' }
  | { readonly reason: 'builderUnknown' }
  | { readonly reason: 'builderRewardsNone' }
  | { readonly reason: 'multiSigSetInvalid'; readonly why: string }
  | { readonly reason: 'addressInvalid'; readonly address: Address }
  | { readonly reason: 'tokenUnknown'; readonly token: number }
  | { readonly reason: 'amountInexact'; readonly floor: MicroUsdc }
  | { readonly reason: 'transferBelowMin'; readonly min: MicroUsdc }
  | { readonly reason: 'sameSubAccount' }
  | { readonly reason: 'withdrawBelowMin'; readonly min: MicroUsdc }
  | { readonly reason: 'insuranceBelowTarget' }
  | { readonly reason: 'vaultInvalid'; readonly why: 'agent' | 'builder' | 'multiSig' | 'fund' }
  | { readonly reason: 'adminsNone' }
  | {
      readonly reason: 'termOver';
      readonly lease: string;
      readonly number: number;
      readonly current: number;
    }
  | { readonly reason: 'operatorUnknown'; readonly signer: Address; readonly action: string }
  | { readonly reason: 'instrumentIdUsed'; readonly instrumentId: number }
  | { readonly reason: 'nameUsed'; readonly name: string }
  | { readonly reason: 'definitionInvalid'; readonly field: string; readonly why: string }
  | { readonly reason: 'marginTableInvalid'; readonly why: string }
  | { readonly reason: 'markBandInvalid'; readonly gotE8: number; readonly maxE8: number }
  | { readonly reason: 'feeTiersInvalid'; readonly why: string }
  // The following reasons concern orders, in the order in which an action and each of its orders
  // are checked.
  | { readonly reason: 'groupingInvalid'; readonly why: string }
  | { readonly reason: 'instrumentUnknown'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'instrumentDelisted'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'marketClosing'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'tradingHalted'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'oracleStale'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'sizeBelowMin'; readonly instrumentId: InstrumentId; readonly min: number }
  | { readonly reason: 'sizeOffLot'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'sizeAboveMax'; readonly instrumentId: InstrumentId; readonly max: number }
  | { readonly reason: 'priceOutOfRange'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'priceOffTick'; readonly instrumentId: InstrumentId }
  | {
      readonly reason: 'priceTooFar';
      readonly instrumentId: InstrumentId;
      readonly min: number;
      readonly max: number;
    }
  | { readonly reason: 'valueBelowMin'; readonly min: MicroUsdc }
  | { readonly reason: 'marginModeDiffers' }
  | { readonly reason: 'onlyIsolated'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'expiryTooSoon'; readonly minMs: number }
  | { readonly reason: 'clientOrderIdInvalid' }
  | { readonly reason: 'clientOrderIdDuplicate' }
  | { readonly reason: 'ordersFull'; readonly max: number }
  | { readonly reason: 'triggersFull'; readonly max: number }
  | { readonly reason: 'reduceOnlyIncreases' }
  | { readonly reason: 'positionLimit'; readonly instrumentId: InstrumentId }
  | {
      readonly reason: 'marginInsufficient';
      readonly required: MicroUsdc;
      readonly available: MicroUsdc;
    }
  | { readonly reason: 'postOnlyWouldTrade' }
  | { readonly reason: 'orderUnknown' }
  | { readonly reason: 'amendWouldTake' }
  | { readonly reason: 'orderQueued' }
  | { readonly reason: 'orderExpiredQueued'; readonly expireMs: number }
  | { readonly reason: 'outcomeUnknown'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'marketClosed'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'marketResolved'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'iocOnOutcome' }
  | { readonly reason: 'triggerOnOutcome' }
  | {
      readonly reason: 'sharesInsufficient';
      readonly instrumentId: InstrumentId;
      readonly required: number;
      readonly available: number;
    }
  | {
      readonly reason: 'pairsInsufficient';
      readonly instrumentId: InstrumentId;
      readonly required: number;
      readonly available: number;
    }
  | { readonly reason: 'slugUsed'; readonly slug: string }
  | { readonly reason: 'eventUnknown'; readonly slug: string }
  | {
      readonly reason: 'phaseChangeInvalid';
      readonly instrumentId: InstrumentId;
      readonly from: string;
      readonly to: string;
    }
  | { readonly reason: 'alreadyResolved'; readonly instrumentId: InstrumentId }
  | {
      readonly reason: 'fractionInexact';
      readonly instrumentId: InstrumentId;
      readonly floor: number;
    }
  | { readonly reason: 'fractionsOff' }
  | { readonly reason: 'leverageInvalid'; readonly leverage: number }
  | { readonly reason: 'leverageOpenOrders' }
  | { readonly reason: 'leverageTpslOrders' }
  | { readonly reason: 'leverageTriggerOrders' }
  | {
      readonly reason: 'leverageTooHigh';
      readonly instrumentId: InstrumentId;
      readonly max: number;
    }
  | { readonly reason: 'positionModeOpenPositions' }
  | { readonly reason: 'positionModeOpenOrders' }
  | { readonly reason: 'marginModeOpenPositions' }
  | { readonly reason: 'marginModeOpenOrders' }
  | { readonly reason: 'isolatedPositionMissing'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'positionMissing'; readonly instrumentId: InstrumentId }
  | {
      readonly reason: 'balanceInsufficient';
      readonly required: MicroUsdc;
      readonly available: MicroUsdc;
      /** The reasons the rest of the money is not free, largest amount first. */
      readonly reservedBy?: readonly ReservedBy[];
    }
  | {
      readonly reason: 'marginNotFree';
      readonly required: MicroUsdc;
      readonly available: MicroUsdc;
    }
  | { readonly reason: 'scheduleTooSoon'; readonly minMs: number }
  | { readonly reason: 'reverseUnderWay'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'orderNotLive'; readonly instrumentId: InstrumentId };

/** The first reason a channel's gate rejects an increase in risk (R-gate). */
export type GateRefusal = 'blacklisted' | 'closed' | 'notWhitelisted' | 'notGranted';

/** A part of the balance that is not free, and its cause. */
export type ReservedBy = {
  readonly what:
    | 'initialMargin'
    | 'notionalShare'
    | 'unrealisedLoss'
    | 'staleOracle'
    | 'lastMark'
    | 'orders';
  readonly amount: MicroUsdc;
};

export type RejectReason = Reject['reason'];
