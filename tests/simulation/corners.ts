/** What a simulation must have met, or its checks had nothing to judge: events, steps of liquidations, ends of orders, refusals. */

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

/** That the checks after every block had something to judge. */
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

/** What any four histories of ten thousand commands come to, whatever their seeds. */
export const CORNERS: readonly string[] = [...EVENTS, ...JUDGED, ...STEPS, ...CANCELS, ...REFUSALS];

/** What only a long history is sure to come to. */
export const RARE_CORNERS: readonly string[] = [
  'feeTiersChanged',
  'cross insurance',
  'cross pair',
  'amendedBelowFilled',
  'nonceUsed',
  'positionModeOpenOrders',
  'reverseUnderWay',
];
