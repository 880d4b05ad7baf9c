import type { Address, InstrumentId, MicroUsdc } from '@oddlot/units';

/**
 * Why a command, or one order of it, was refused. Refusals are values; they are checked in the order
 * of this list, so when several apply the answer is still unique. Each carries the numbers that its
 * message needs.
 */
export type Reject =
  // Who: nonce window, role, account, expiry, nonce.
  | { readonly reason: 'nonceTooOld'; readonly minExclusive: number }
  | { readonly reason: 'nonceTooNew'; readonly maxExclusive: number }
  | { readonly reason: 'agentUnknown'; readonly signer: Address }
  | { readonly reason: 'accountUnknown'; readonly signer: Address }
  | { readonly reason: 'depositFirst'; readonly signer: Address }
  | { readonly reason: 'actionExpired'; readonly expiresAfterMs: number; readonly timeMs: number }
  | { readonly reason: 'nonceUsed' }
  | { readonly reason: 'nonceTooLow'; readonly floor: number }
  // Agents.
  | { readonly reason: 'agentLabelTooLong' }
  | { readonly reason: 'agentIsSelf' }
  | { readonly reason: 'agentLabelUnknown' }
  | { readonly reason: 'agentAddressUsed' }
  | { readonly reason: 'agentsFull' }
  // The operator.
  | { readonly reason: 'operatorUnknown'; readonly signer: Address; readonly action: string }
  | { readonly reason: 'instrumentIdUsed'; readonly instrumentId: number }
  | { readonly reason: 'nameUsed'; readonly name: string }
  | { readonly reason: 'definitionInvalid'; readonly field: string; readonly why: string }
  | { readonly reason: 'marginTableInvalid'; readonly why: string }
  | { readonly reason: 'feeTiersInvalid'; readonly why: string }
  // Orders, in the order in which an action and each of its orders is judged.
  | { readonly reason: 'groupingInvalid'; readonly why: string }
  | { readonly reason: 'instrumentUnknown'; readonly instrumentId: InstrumentId }
  | { readonly reason: 'instrumentDelisted'; readonly instrumentId: InstrumentId }
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
  // Amends.
  | { readonly reason: 'orderUnknown' }
  // Settings and margin.
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
    }
  | {
      readonly reason: 'marginNotFree';
      readonly required: MicroUsdc;
      readonly available: MicroUsdc;
    }
  | { readonly reason: 'scheduleTooSoon'; readonly minMs: number }
  | { readonly reason: 'reverseUnderWay'; readonly instrumentId: InstrumentId }
  // Cancels.
  | { readonly reason: 'orderNotLive'; readonly instrumentId: InstrumentId };

export type RejectReason = Reject['reason'];
