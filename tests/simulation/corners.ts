/**
 * Cases that a simulation must reach, because otherwise its checks would prove nothing: event
 * types, liquidation steps, cancel reasons and reject reasons.
 */

const EVENTS = [
  'accountCreated',
  'agentChanged',
  'bridgeOpened',
  'deleveraged',
  'depositCredited',
  'faucetCredited',
  'fundingPaid',
  'liquidationStep',
  'markUpdated',
  'orderUpdated',
  'perpChanged',
  'perpRegistered',
  'perpSettled',
  'positionSettled',
  'reverseJobChanged',
  'settingsChanged',
  'tradeExecuted',
];

/** Cases that must have been covered by the checks after each block. */
const JUDGED = ['judged: at risk', 'judged: deleveraged'];

const STEPS = [
  'cross adl',
  'cross cancel',
  'cross market',
  'isolated adl',
  'isolated cancel',
  'isolated insurance',
  'isolated market',
  'isolated net',
  'reverse closing',
  'reverse done',
  'reverse failed',
  'reverse opening',
];

const CANCELS = [
  'delisted',
  'expired',
  'iocRemainder',
  'liquidation',
  'marginCanceled',
  'parentCanceled',
  'reduceOnly',
  'scheduledCancel',
  'selfTrade',
  'siblingFilled',
  'userCanceled',
];

const REFUSALS = [
  'accountUnknown',
  'agentAddressUsed',
  'agentLabelUnknown',
  'agentUnknown',
  'balanceInsufficient',
  'clientOrderIdDuplicate',
  'expiryTooSoon',
  'groupingInvalid',
  'instrumentDelisted',
  'instrumentUnknown',
  'isolatedPositionMissing',
  'leverageInvalid',
  'leverageOpenOrders',
  'leverageTooHigh',
  'leverageTpslOrders',
  'leverageTriggerOrders',
  'marginInsufficient',
  'marginModeDiffers',
  'marginModeOpenOrders',
  'marginModeOpenPositions',
  'marginNotFree',
  'marketClosing',
  'oracleStale',
  'orderNotLive',
  'orderUnknown',
  'positionLimit',
  'positionMissing',
  'positionModeOpenPositions',
  'postOnlyWouldTrade',
  'priceOffTick',
  'priceTooFar',
  'reduceOnlyIncreases',
  'scheduleTooSoon',
  'sizeAboveMax',
  'sizeBelowMin',
  'tradingHalted',
  'valueBelowMin',
];

/** Cases that any four histories of ten thousand commands reach, whatever their seeds. */
export const CORNERS: readonly string[] = [...EVENTS, ...JUDGED, ...STEPS, ...CANCELS, ...REFUSALS];

/** Cases that only long histories reach reliably. */
export const RARE_CORNERS: readonly string[] = [
  'feeTiersChanged',
  'cross insurance',
  'cross pair',
  'amendedBelowFilled',
  'nonceUsed',
  'positionModeOpenOrders',
  'reverseUnderWay',
];
