# Made by npm run write-openapi.
"""The answers of queries. Amounts, prices and sizes are decimals as text."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AccessCodeStatus(TypedDict):
    """An address's access code on a channel, masked."""
    #: The account.
    user: str
    #: 0 for perps, 1 for outcome markets.
    channel: int
    #: Whether an access code is required.
    required: bool
    #: Whether the account has access.
    granted: bool
    #: Masked code (`AB****`); null if no access has been granted.
    accessCode: None | str
    #: Time of the grant; null if no access has been granted. Unit: ms.
    grantedTime: None | int


class AccountTransferDelta(TypedDict):
    """A transfer between an account's sub-accounts."""
    #: Type of the action.
    type: Literal["accountTransfer"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]
    #: Sub-account of the sender: `perp` (alias `perps`) or `outcome`.
    fromAccountType: str
    #: Sub-account of the recipient: `perp` (alias `perps`) or `outcome`.
    toAccountType: str


class ActionBlock(TypedDict):
    #: Height of the block that executed the action, or that released the last of its delayed
    #: orders.
    height: int
    #: Time of the event. Unit: ms.
    time: int
    #: Hash of the request or block.
    hash: str


class ActionResultStatus2(TypedDict):
    #: First failure, with `details` as in errors.
    error: str
    #: Code of the error name.
    code: NotRequired[int]
    #: Stable name of the error.
    name: NotRequired[str]
    #: Data for correcting the request: field, value and accepted values.
    details: NotRequired[ErrorDetails]


class ActionStatus1(TypedDict):
    #: Hash of the request.
    txHash: str
    #: Trace id.
    traceId: str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    signer: str
    #: Account for which the action was sent.
    user: None | str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    nonce: float
    #: Type of the action.
    actionType: str
    #: Status.
    status: Literal["executed"]
    #: `{height, time, hash}` of the block that contains the action, even if an order was delayed.
    block: ActionBlock
    #: `type`, `statuses` and `orders` as in a confirmed reply.
    result: ExecutionResult
    #: First failure, with `details` as in errors.
    error: None


class ActionStatus2(TypedDict):
    #: Hash of the request.
    txHash: str
    #: Trace id.
    traceId: str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    signer: str
    #: Account for which the action was sent.
    user: None | str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    nonce: float
    #: Type of the action.
    actionType: str
    #: Status.
    status: Literal["failed"]
    #: `{height, time, hash}` of the block that contains the action, even if an order was delayed.
    block: ActionBlock
    #: `type`, `statuses` and `orders` as in a confirmed reply.
    result: ExecutionResult
    #: First failure, with `details` as in errors.
    error: ExecutionError


class ActionStatus3(TypedDict):
    #: Hash of the request.
    txHash: str
    #: Trace id.
    traceId: str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    signer: str
    #: Account for which the action was sent.
    user: None | str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    nonce: float
    #: Type of the action.
    actionType: str
    #: Status.
    status: Literal["pending"]
    #: `{height, time, hash}` of the block that contains the action, even if an order was delayed.
    block: None
    #: `type`, `statuses` and `orders` as in a confirmed reply.
    result: None
    #: First failure, with `details` as in errors.
    error: None


class ActionStatus4(TypedDict):
    #: Hash of the request.
    txHash: str
    #: Trace id.
    traceId: str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    signer: str
    #: Account for which the action was sent.
    user: None | str
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    nonce: float
    #: Type of the action.
    actionType: str
    #: Status.
    status: Literal["queued"]
    #: `{height, time, hash}` of the block that contains the action, even if an order was delayed.
    block: ActionBlock
    #: `type`, `statuses` and `orders` as in a confirmed reply.
    result: None
    #: First failure, with `details` as in errors.
    error: None


class ActionStatus5(TypedDict):
    #: Hash of the request.
    txHash: None
    #: Trace id.
    traceId: None
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    signer: None
    #: Account for which the action was sent.
    user: None
    #: Signer (the agent's address if an agent signed) and nonce; send both fields.
    nonce: None
    #: Type of the action.
    actionType: None
    #: Status.
    status: Literal["unknown"]
    #: `{height, time, hash}` of the block that contains the action, even if an order was delayed.
    block: None
    #: `type`, `statuses` and `orders` as in a confirmed reply.
    result: None
    #: First failure, with `details` as in errors.
    error: None


class ActiveAssetData(TypedDict):
    """The largest orders that a user can place in one instrument."""
    #: The account.
    user: str
    #: Instrument id.
    coin: str
    #: `mode` (`OneWay`, `Hedge`), `type` (`Cross`, `Isolated`), `value`, `rawUsd`.
    leverage: AssetLeverage
    #: Leverage of the short side; only in hedge mode, if it differs from the leverage of the long
    #: side.
    leverageShort: NotRequired[AssetLeverage]
    #: `[buy, sell]`: maximum order sizes.
    maxTradeSzs: list[str]
    #: `[buy, sell]`: `maxTradeSzs` × mark / leverage.
    availableToTrade: list[str]
    #: Mark. Unit: quote.
    markPx: str
    #: Whether only isolated margin is allowed.
    onlyIsolated: bool


class AgentOwner(TypedDict):
    """The owner of an agent; null if the address is not an agent."""
    #: Address of the agent.
    agent: str
    #: The agent's account; null if the address is not an agent.
    owner: None | str
    #: Label of the agent; null if the address is not an agent.
    agentName: None | str


class ApprovedAgent(TypedDict):
    """An agent of an account. The name is empty for the unnamed agent."""
    #: The agent.
    agentAddress: str
    #: Label; `""` for the unnamed agent.
    agentName: str
    #: Time of the first approval. Unit: ms.
    createTime: int
    #: Time of the last change. Unit: ms.
    updateTime: int
    #: Always null, because agents do not expire.
    validUntil: None


class ApprovedBuilder(TypedDict):
    """A builder that may charge an account. The rate is the text sent by the user."""
    #: The builder.
    builder: str
    #: Maximum fee, as sent.
    maxFeeRate: str
    #: Time of the last change. Unit: ms.
    updateTime: int


class AssetLeverage(TypedDict):
    """An account's leverage in one instrument."""
    #: Position mode, `OneWay` or `Hedge`.
    mode: Literal["Hedge", "OneWay"]
    #: Margin mode, `Cross` or `Isolated`.
    type: Literal["Cross", "Isolated"]
    #: Leverage.
    value: int
    #: Margin assigned to the isolated position; empty for cross margin. Unit: USDC.
    rawUsd: str


class AssetPosition(TypedDict):
    #: The position.
    position: Position
    #: Take-profit and stop-loss orders of the position.
    tpsl: list[PositionTpsl]
    #: Position mode, `OneWay` or `Hedge`.
    type: Literal["Hedge", "OneWay"]


class BlockDetail(TypedDict):
    #: Height of the block.
    height: int
    #: Time of the block. Unit: ms.
    blockTime: int
    #: Hash of the request.
    hash: str
    #: Hash of the previous block.
    parentHash: str
    #: Hash of the state after the block.
    stateHash: str
    #: Always the zero address (the venue).
    proposer: str
    #: Number of signed requests.
    numTxs: int
    #: Signed requests.
    txs: list[TxRow]


class BlockRow(TypedDict):
    """A block as it appears in lists."""
    #: Height of the block.
    height: int
    #: Time of the block. Unit: ms.
    blockTime: int
    #: Hash of the block.
    hash: str
    #: Hash of the previous block.
    parentHash: str
    #: Hash of the state after the block.
    stateHash: str
    #: Always the zero address (the venue).
    proposer: str
    #: Number of signed requests.
    numTxs: int


class Budget(TypedDict):
    #: Maximum number.
    limit: int
    #: Length of the window. Unit: ms.
    windowMs: int
    #: What is left of the budget.
    remaining: int
    #: Time until the budget is full again. Unit: ms.
    resetMs: int


class BuilderClaim(TypedDict):
    """A builder's claim. Only executed claims are included."""
    #: Claimed amount. Unit: USDC.
    amount: str
    #: Always `USDC`.
    asset: Literal["USDC"]
    #: Always `success`.
    status: Literal["success"]
    #: Time of the claim request. Unit: ms.
    time: int
    #: The builder.
    to: str
    #: Hash of the claim request.
    txHash: str


class BuilderClaimable(TypedDict):
    """A builder's unclaimed rewards, as of the last block in the history database."""
    #: Max(`totalEarned` − `totalClaimed`, 0). Unit: USDC.
    claimable: str
    #: Whether the builder has earned fees.
    hasAggregate: bool
    #: Always `aggregate`.
    source: Literal["aggregate"]
    #: All-time claims. Unit: USDC.
    totalClaimed: str
    #: All-time earnings. Unit: USDC.
    totalEarned: str
    #: Time of the figures; absent before the first fee. Unit: ms.
    asOf: NotRequired[int]


class BuilderEarning(TypedDict):
    """
    A builder's reward for one order. Amounts and sizes are sums over the order's fills, and
    the price is their average.
    """
    #: Total builder fees of the order's fills. Unit: USDC.
    builderFee: str
    #: Builder fee rate. Unit: fraction.
    builderFeeRate: str
    #: The order's `f`, in units of 0.001%.
    builderFeeRateF: int
    #: Instrument id.
    instrumentId: int
    #: Name of the instrument.
    instrumentName: str
    #: `perps` or `outcome`.
    marketType: Literal["outcome", "perps"]
    #: Total value of the order's fills. Unit: USDC.
    notional: str
    #: Order id.
    orderId: int
    #: Volume-weighted average price.
    price: str
    #: Filled size.
    qty: str
    #: Role in the last fill.
    role: Literal["Maker", "Taker"]
    #: Time of the last fill. Unit: ms.
    time: int
    #: Trade id of the last fill.
    tradeId: int
    #: Transaction hash of the last fill.
    txHash: str
    #: Masked address of the user, `0x1234****abcd`.
    user: str


class BuilderMeClaimed(TypedDict):
    """Content of the response or frame."""
    #: Items of the page.
    items: list[BuilderClaim]
    #: Number of the page, starting with 0.
    page: int
    #: 50 items by default, at most 100.
    pageSize: int
    #: Total number of orders.
    total: int


class BuilderMeEarned(TypedDict):
    """Content of the response or frame."""
    #: Items of the page.
    items: list[BuilderEarning]
    #: Number of the page, starting with 0.
    page: int
    #: 50 items by default, at most 100.
    pageSize: int
    #: Total number of orders.
    total: int


class BuilderShare(TypedDict):
    """One user's or instrument's share of a builder's fees."""
    #: Name of the instrument.
    instrumentName: str
    #: Masked address of the user, or id of the instrument.
    key: str
    #: Masked address of the user, or name of the instrument.
    label: str
    #: Fraction of the window's total.
    ratio: float
    #: Fees. Unit: USDC.
    value: str


class BuilderShares(TypedDict):
    """The shares of all users or of all instruments, largest first."""
    #: `user` (default) or `instrument`.
    dimension: Literal["instrument", "user"]
    #: Largest first.
    items: list[BuilderShare]
    #: Always `fee`.
    metric: Literal["fee"]
    #: `7d` (default), `30d`, `90d` or `all`, in whole days.
    window: Literal["30d", "7d", "90d", "all"]


class BuilderState(TypedDict):
    """A builder's rewards: unclaimed, total and claimed."""
    #: The builder.
    builder: str
    #: `totalEarned` − `totalClaimed`. Unit: USDC.
    unclaimedRewards: str
    #: All-time earnings. Unit: USDC.
    totalEarned: str
    #: All-time claims. Unit: USDC.
    totalClaimed: str
    #: Current balance of the perp sub-account. Unit: USDC.
    perpAccountBalance: str
    #: Balance required for fees to accrue. Unit: USDC.
    minPerpBalance: str
    #: Whether the balance is sufficient for fees to accrue.
    eligible: bool


class Candle(TypedDict):
    """
    A candle of an instrument; `T` is its last millisecond. `price` is absent if the prices
    are trade prices.
    """
    #: First millisecond (UTC). Unit: ms.
    t: int
    #: Last millisecond (UTC). Unit: ms.
    T: int
    #: Name of the instrument.
    s: str
    #: Interval.
    i: str
    #: Open. Unit: quote.
    o: str
    #: Close. Unit: quote.
    c: str
    #: High. Unit: quote.
    h: str
    #: Low. Unit: quote.
    l: str
    #: Traded size. Unit: base.
    v: str
    #: Number of trades.
    n: int
    #: Instrument id.
    instrumentId: int
    #: `mark` or `oracle`; absent for candles of trades.
    price: NotRequired[Literal["mark", "oracle"]]


class ClearinghouseState(TypedDict):
    #: `accountValue` plus unpaid withdrawals. Unit: USDC.
    accountValuePlusWithdrawHold: str
    #: Open positions, one element per position, sorted by instrument id.
    assetPositions: list[AssetPosition]
    #: Σ maintenance margin of cross positions. Unit: USDC.
    crossMaintenanceMarginUsed: str
    #: Cross `accountValue` / (maintenance margin + 0.5% of `totalNtlPos`).
    crossMarginRatio: str
    #: The same fields as in `marginSummary`, calculated from the balance and cross positions only.
    crossMarginSummary: MarginSummary
    #: Totals of the sub-account.
    marginSummary: MarginSummary
    #: Time of the block. Unit: ms.
    time: int
    #: `totalRawUsd` plus unpaid withdrawals. Unit: USDC.
    totalRawUsdPlusWithdrawHold: str
    #: Value of the account's vault shares. Unit: USDC.
    vaultEquity: str
    #: Min(balance, `accountValue` − max(initial margin, 10% of `totalNtlPos`)), at least 0. Unit:
    #: USDC.
    withdrawable: str
    #: Reversals of positions that are not complete.
    activeReverseJobs: list[ReverseJob]


class Connections(TypedDict):
    #: Maximum number.
    limit: int
    #: Open connections of the client on this path.
    open: int


class CryptoPrice(TypedDict):
    """The price to beat and the final price of a window."""
    #: Such as `BTC`.
    symbol: str
    #: `oracle` (default), `spot` or `twap`.
    source: str
    #: Price to beat, at `eventStartTime`.
    openPrice: None | str
    #: Price at the end, or the latest price.
    closePrice: None | str
    #: Time of the block. Unit: ms.
    timestamp: int
    #: Whether the end was at least 5 s ago, so that prices are final.
    completed: bool
    #: Whether samples are missing from the averaging window.
    incomplete: bool
    #: Always false.
    cached: bool


class CryptoPriceHistory(TypedDict):
    """The reference prices in a period, oldest first."""
    #: Such as `BTC`.
    symbol: str
    #: `oracle` (default), `spot` or `twap`.
    source: str
    #: Prices.
    data: list[CryptoPriceHistoryDataRow]


class CryptoPriceHistoryDataRow(TypedDict):
    #: Time of the price. Unit: ms.
    timestamp: int
    #: Price.
    value: str


class DeleverageDelta(TypedDict):
    """The closing of the account's position against a bankrupt one (auto-deleveraging)."""
    #: Type of the action.
    type: Literal["adl"]
    #: Instrument id.
    instrumentId: int
    #: Name of the instrument in an answer, its id in a request.
    coin: str
    #: Size. Unit: base.
    sz: str
    #: Price. Unit: quote.
    px: str
    #: Realised profit or loss. Unit: USDC.
    closedPnl: str


class ErrorDetails(TypedDict):
    """
    The data in a refusal, in addition to its message, that a client can use to correct its
    request.
    """
    #: The path of the field in the request, such as `orders[3].p`.
    field: NotRequired[str]
    #: The invalid value, if it is a scalar.
    got: NotRequired[None | str | float]
    #: The accepted values, or the accepted range.
    allowed: NotRequired[list[str | float] | ErrorDetailsAllowed2]
    #: The nearest accepted values below and above; null if there is none on that side.
    nearest: NotRequired[list[None | str]]
    #: The required funds, margin or shares.
    required: NotRequired[str]
    #: The available funds, margin or shares.
    available: NotRequired[str]
    #: The reserved amounts, largest first, each with its purpose.
    reservedBy: NotRequired[list[ErrorDetailsReservedByRow]]
    #: The name of the client's exhausted budget.
    budget: NotRequired[str]
    #: Work that the client may cause per second. Unit: ms.
    limit_ms_per_second: NotRequired[float]
    #: Work that the client may still cause now. Unit: ms.
    remaining_ms: NotRequired[float]
    #: The exact reason, if several reasons have the same message.
    why: NotRequired[str]
    #: The path of the explanation in the documentation, set by `wireError`.
    docs: NotRequired[str]


class ErrorDetailsAllowed2(TypedDict):
    #: Smallest accepted value.
    min: NotRequired[str | float]
    #: Largest accepted value.
    max: NotRequired[str | float]
    #: `market`, `net`, `insurance` or `adl`.
    step: NotRequired[str]


class ErrorDetailsReservedByRow(TypedDict):
    #: Use of the reserved amount.
    what: str
    #: Amount. Unit: USDC.
    amount: str


class ExecutionError(TypedDict):
    #: Code of the error name.
    code: int
    #: Name.
    name: str
    #: Description of the error.
    message: str
    #: Data for correcting the request: field, value and accepted values.
    details: NotRequired[ErrorDetails]


class ExecutionReport(TypedDict):
    """The execution of one order, or of all orders in an action."""
    #: The account.
    user: str
    #: The reports, one per order.
    orders: list[OrderReport]


class ExecutionResult(TypedDict):
    #: Type of the action.
    type: str
    #: One element: `"success"`, or `{error, code, name, details}` for the first entry that failed.
    statuses: list[Literal["success"] | ActionResultStatus2]
    #: One element per order or cancel; absent for other actions.
    orders: NotRequired[list[OrderResult]]


class ExplainedSignature(TypedDict):
    """
    The contents and the signer of a signature. If the signer is unknown, the response
    includes the possible mistakes.
    """
    #: `agent`, `direct` or `multiSig`; see signing.
    scheme: Literal["agent", "direct", "multiSig"]
    #: EIP-712 struct.
    typeString: str
    #: `{name, version, chainId, verifyingContract}`.
    domain: ExplainedSignatureDomain
    #: Intermediate results for a trading action; null for account actions.
    msgpack: None | str
    #: Intermediate results for a trading action; null for account actions.
    preimage: None | str
    #: Intermediate results for a trading action; null for account actions.
    connectionId: None | str
    #: Hash of the EIP-712 struct.
    structHash: str
    #: Digest that was signed.
    digest: str
    #: Hash of the request.
    txHash: str
    #: Recovered address; null if no address can be recovered, for example because `s` is high.
    signer: None | str
    #: `account`, `agent`, `deployer`, `admin`, `multiSigSigner`, `expected` or `none`.
    role: Literal["account", "admin", "agent", "deployer", "expected", "multiSigSigner", "none"]
    #: Account of the agent, if the signer is an agent.
    owner: None | str
    #: Label of the agent, if the signer is an agent.
    agentName: None | str
    #: Attempts `{mistake, variant, signer, role}`; empty unless `role` is `none`.
    tried: list[ExplainedSignatureTriedRow]
    #: First attempt with a known signer: `{mistake, variant, signer, role, owner, hint}`.
    match: None | ExplainedSignatureMatch2


class ExplainedSignatureDomain(TypedDict):
    """`{name, version, chainId, verifyingContract}`."""
    #: Name of the EIP-712 domain: the network name.
    name: str
    #: Version of the EIP-712 domain.
    version: str
    #: Chain id.
    chainId: int
    #: Contract of the EIP-712 domain.
    verifyingContract: str


class ExplainedSignatureMatch2(TypedDict):
    #: Name of the mistake that leads to this signer.
    mistake: Literal["addressCase", "agentSignedAsDirect", "chainId", "directSignedAsAgent", "expiresAfter", "keyOrder", "missingType", "networkName", "nonce", "trailingZeros", "vParity", "vaultFlag"]
    #: How the request was changed for the attempt.
    variant: str
    #: Recovered address; null if no address can be recovered, for example because `s` is high.
    signer: str
    #: `account`, `agent`, `deployer`, `admin`, `multiSigSigner`, `expected` or `none`.
    role: Literal["account", "admin", "agent", "deployer", "expected", "multiSigSigner", "none"]
    #: Account of the agent, if the signer is an agent.
    owner: None | str
    #: How to correct the mistake.
    hint: str


class ExplainedSignatureTriedRow(TypedDict):
    #: Name of the mistake that leads to this signer.
    mistake: Literal["addressCase", "agentSignedAsDirect", "chainId", "directSignedAsAgent", "expiresAfter", "keyOrder", "missingType", "networkName", "nonce", "trailingZeros", "vParity", "vaultFlag"]
    #: How the request was changed for the attempt.
    variant: str
    #: Recovered address; null if no address can be recovered, for example because `s` is high.
    signer: None | str
    #: `account`, `agent`, `deployer`, `admin`, `multiSigSigner`, `expected` or `none`.
    role: Literal["account", "admin", "agent", "deployer", "expected", "multiSigSigner", "none"]


class FeeTierInfo(TypedDict):
    """The fee rates by trading volume over the last 14 days."""
    #: Tiers, ascending.
    tiers: list[FeeTierRow]


class FeeTierRates(TypedDict):
    """An account's fee tier. The highest tier has no next level."""
    #: The account.
    user: str
    #: Level of the current tier.
    level: int
    #: Volume of the last 14 complete UTC days. Unit: USDC.
    volume14d: str
    #: Maker rate of the tier. Unit: fraction.
    perpMakerFeeRate: str
    #: Taker rate of the tier. Unit: fraction.
    perpTakerFeeRate: str
    #: Default rate for outcome markets. Unit: fraction.
    outcomeTakerFeeRate: str
    #: Level of the next tier; null at the top tier.
    nextLevel: None | int
    #: Volume that the next tier requires; null at the top tier. Unit: USDC.
    nextMin14dTradingVolume: None | str


class FeeTierRow(TypedDict):
    """A tier of the fee schedule. Rates are fractions."""
    #: Number of the tier.
    level: int
    #: Required 14-day volume. Unit: USDC.
    min14dTradingVolume: str
    #: Maker rate. Unit: fraction.
    perpMakerFeeRate: str
    #: Taker rate. Unit: fraction.
    perpTakerFeeRate: str


class Fill(TypedDict):
    """A fill of an order. Rows for splits, merges and settlements have order id and trade id 0."""
    #: Short name, such as `BTC`.
    coin: str
    #: Full name, such as `BTC-USDC`.
    symbol: str
    #: Price; on outcome markets, the outcome's price. Unit: quote.
    px: str
    #: Size. Unit: base.
    sz: str
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Time of the block. Unit: ms.
    time: int
    #: Position before the fill. Unit: base.
    startPosition: str
    #: Direction.
    dir: str
    #: Whether the order was reduce-only.
    reduceOnly: bool
    #: Realised PnL less `fee` and `builderFee`; `"0"` if the fill opens or increases a position.
    #: Unit: USDC.
    closedPnl: str
    #: Hash of the request or block that caused the fill.
    hash: str
    #: Order id.
    oid: int
    #: Whether the account was the taker.
    crossed: bool | None
    #: Exchange fee. Unit: USDC.
    fee: str
    #: Trade id, which is the same for both sides of the trade.
    tid: int
    #: Always `USDC`.
    feeToken: Literal["USDC"]
    #: Always null.
    twapId: None
    #: `Taker` or `Maker`.
    tradeSide: Literal["Maker", "Taker"] | None
    #: The account's margin mode for the instrument.
    marginMode: Literal["Cross", "Isolated"]
    #: The account's leverage for the instrument.
    leverage: int
    #: Instrument id.
    instrumentId: int
    #: `perps` or `outcome`.
    instrumentType: Literal["outcome", "perps"]
    #: `perps` or `outcome`.
    marketType: Literal["outcome", "perps"]
    #: Entry price; only if the fill reduces or closes a position. Unit: quote.
    entryPrice: NotRequired[str]
    #: Return; only if the fill reduces or closes a position. Unit: %.
    roe: NotRequired[str]
    #: Client order id.
    cloid: NotRequired[None | str]
    #: Builder fee; absent if the order has no builder. Unit: USDC.
    builderFee: NotRequired[str]
    #: Outcome markets only.
    outcome: NotRequired[Literal["No", "Yes"]]
    #: Outcome markets only.
    title: NotRequired[str]
    #: Outcome markets only.
    slug: NotRequired[str]


class FundingHistoryRow(TypedDict):
    """A perp's funding for one hour. Rates are fractions per hour."""
    #: Perp, by name or id.
    coin: str
    #: Longs pay a positive rate. Unit: fraction per hour.
    fundingRate: str
    #: Mean of the hour's samples. Unit: fraction.
    premium: str
    #: Time at which the funding was due. Unit: ms.
    time: int


class FundingRow(TypedDict):
    """
    A funding payment of one position. Positive amounts were received; `usdc` and `amount` are
    equal.
    """
    #: Time at which the payment was due. Unit: ms.
    time: int
    #: Name of the instrument.
    coin: str
    #: The same value as `amount`. Unit: USDC.
    usdc: str
    #: Signed size of the position. Unit: base.
    szi: str
    #: Longs pay a positive rate. Unit: fraction per hour.
    fundingRate: str
    #: Positive: collected, negative: paid. Unit: USDC.
    amount: str


class GateLists(TypedDict):
    """The lists of a gate, each newest first with at most a thousand entries. Codes are masked."""
    #: 0 for perps, 1 for outcome markets.
    channel: Literal[0, 1]
    #: The whitelist.
    whitelist: list[str]
    #: The blacklist.
    blacklist: list[str]
    #: `accessCode` (masked as `AB****`), `maxUses` and `uses`.
    accessCodes: list[GateListsAccessCodesRow]
    #: `user`, `accessCode` (masked) and `grantedTime`.
    grants: list[GateListsGrantsRow]


class GateListsAccessCodesRow(TypedDict):
    #: Masked code (`AB****`).
    accessCode: str
    #: Number of accounts that may use the access code.
    maxUses: int
    #: Number of accounts that have used the access code.
    uses: int


class GateListsGrantsRow(TypedDict):
    #: The account.
    user: str
    #: Masked code (`AB****`).
    accessCode: str
    #: Time of the grant. Unit: ms.
    grantedTime: int


class HistOrder(TypedDict):
    """An order in the history."""
    #: Short name, such as `BTC`.
    coin: str
    #: Full name, such as `BTC-USDC`.
    symbol: str
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Limit price. Unit: quote.
    limitPx: str
    #: Remaining size. Unit: base.
    sz: str
    #: Original size. Unit: base.
    origSz: str
    #: Order id.
    oid: int
    #: When the order was accepted or, for a triggered order, when it triggered. Unit: ms.
    timestamp: int
    #: For example `Price above 200`.
    triggerCondition: str
    #: Whether the order was a trigger order.
    isTrigger: bool
    #: Trigger price, such as `"200"`.
    triggerPx: str
    #: Dormant TP/SL orders, with the fields of `order` in historicalOrders.
    children: list[HistOrder]
    #: Whether it is a TP/SL order of a position.
    isPositionTpsl: bool
    #: Whether the order is reduce-only.
    reduceOnly: bool
    #: `Buy` or `Sell`.
    dir: str
    #: Always `Limit`.
    orderType: Literal["Limit", "Market"]
    #: `GTC`, `GTD` or `ALO`.
    tif: Literal["ALO", "GTC", "GTD", "IOC"]
    #: Expiry of a `GTD` order. Unit: ms.
    expireTime: NotRequired[int]
    #: Client order id.
    cloid: None | str
    #: Null if nothing has been filled. Unit: quote.
    avgFillPrice: None | str
    #: The account's position mode for the instrument.
    positionMode: Literal["Hedge", "OneWay"]
    #: The account's margin mode for the instrument.
    marginMode: Literal["Cross", "Isolated"]
    #: The account's leverage for the instrument.
    leverage: int
    #: Total fees of the order's fills. Unit: USDC.
    fee: NotRequired[str]
    #: Total value of the order's fills. Unit: USDC.
    filledAmount: NotRequired[str]
    #: Total PnL of the order's fills, before fees. Unit: USDC.
    pnl: NotRequired[str]
    #: Entry price; only if the order closed a position. Unit: quote.
    entryPrice: NotRequired[str]
    #: Return; only if the order closed a position. Unit: %.
    roe: NotRequired[str]
    #: Who cancelled the order.
    cancelSource: NotRequired[str]
    #: Why the order was cancelled.
    cancelReason: NotRequired[str]
    #: Why the order was rejected.
    rejectReason: NotRequired[str]
    #: `open`.
    status: Literal["cancelled", "filled", "open", "rejected", "triggered"]
    #: Instrument id.
    instrumentId: int
    #: Always `perps`.
    instrumentType: Literal["outcome", "perps"]
    #: Always `perps`.
    marketType: Literal["outcome", "perps"]
    #: Outcome markets only.
    outcome: NotRequired[Literal["No", "Yes"]]
    #: Outcome markets only.
    title: NotRequired[str]
    #: Outcome markets only.
    slug: NotRequired[str]


class HistOrderRow(TypedDict):
    #: The order.
    order: HistOrder
    #: `open`, `filled`, `cancelled`, `rejected`, `triggered` (and still active).
    status: Literal["cancelled", "filled", "open", "rejected", "triggered"]
    #: Time of the order's last change. Unit: ms.
    statusTimestamp: int


class L2Book(TypedDict):
    """The bids and asks of a book, best price first."""
    #: Name of the instrument.
    coin: str
    #: Time of the block. Unit: ms.
    time: int
    #: Bids and asks, best first.
    levels: list[list[Level]]


class LargestTrade(TypedDict):
    """
    A trade with its value. A trade on an outcome market also has its outcome, that outcome's
    price, and the market's texts.
    """
    #: Name of the instrument.
    coin: str
    #: Instrument id.
    instrumentId: int
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Price. Unit: quote.
    px: str
    #: Size. Unit: base.
    sz: str
    #: Time of the event. Unit: ms.
    time: int
    #: Hash of the request or block.
    hash: str
    #: Trade id.
    tid: int
    #: The addresses of the buyer and the seller.
    users: NotRequired[list[str]]
    #: Set if the venue liquidated a position in this trade (R-liquidation).
    liquidation: NotRequired[Literal[True]]
    #: Value at the taker's price, which determines the rank. Unit: USDC.
    ntl: str
    #: Outcome markets only: the taker's outcome.
    outcome: NotRequired[Literal["No", "Yes"]]
    #: Outcome markets only: price of the taker's outcome. Unit: USDC.
    price: NotRequired[str]
    #: Outcome markets only: title of the market.
    title: NotRequired[str]
    #: Outcome markets only: slug of the market.
    slug: NotRequired[str]


class LargestTrades(TypedDict):
    #: `day` (default), `week` or `month`.
    window: Literal["day", "month", "week"]
    #: Start of the window's first four-hour period. Unit: ms.
    startTime: int
    #: Trades, largest first.
    trades: list[LargestTrade]


class Leaderboard(TypedDict):
    """The accounts with the highest profit or volume in a window that ends now."""
    #: `day`, `week` (default), `month` or `all`.
    window: Literal["all", "day", "month", "week"]
    #: `pnl` (default) or `volume`.
    sortBy: Literal["pnl", "volume"]
    #: When all accounts were last compared. Unit: ms.
    rankedTime: int
    #: Accounts, highest first.
    rows: list[LeaderboardRow]


class LeaderboardRow(TypedDict):
    """An account with the figures of its portfolio for the same window."""
    #: The account.
    user: str
    #: Values of the last point in the account's portfolio for the same window. Unit: USDC.
    accountValue: str
    #: Values of the last point in the account's portfolio for the same window. Unit: USDC.
    pnl: str
    #: Values of the last point in the account's portfolio for the same window. Unit: USDC.
    volume: str


class LedgerDelta10(TypedDict):
    #: Type of the action.
    type: Literal["faucet"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]


class LedgerDelta7(TypedDict):
    #: Type of the action.
    type: Literal["outcomeMerge", "outcomeSplit"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: Instrument id.
    instrumentId: int
    #: Size. Unit: base.
    sz: str


class LedgerDelta8(TypedDict):
    #: Type of the action.
    type: Literal["builderRewardsClaim"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]


class LedgerDelta9(TypedDict):
    #: Type of the action.
    type: Literal["deposit"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]


class LedgerUpdate(TypedDict):
    #: Time of the request. Unit: ms.
    time: int
    #: Hash of the request or block.
    hash: str
    #: Change of the ledger, selected by its `type`.
    delta: AccountTransferDelta | DeleverageDelta | LiquidationDelta | OutcomeSettlementDelta | TransferDelta | WithdrawDelta | LedgerDelta7 | LedgerDelta8 | LedgerDelta9 | LedgerDelta10


class Level(TypedDict):
    """A level of a book: price, size and number of orders."""
    #: Price.
    px: str
    #: Total size of the level.
    sz: str
    #: Number of orders.
    n: int


class Liquidation(TypedDict):
    """A reduction of a position in one liquidation step."""
    #: Time of the block. Unit: ms.
    time: int
    #: Hash of the block.
    hash: str
    #: Owner of the position.
    user: str
    #: Name of the perp.
    coin: str
    #: Instrument id of the perp.
    instrumentId: int
    #: Side of the closing trade; `A` if a long position was closed.
    side: Literal["A", "B"]
    #: Closed size. Unit: base.
    sz: str
    #: Average price. Unit: quote.
    px: str
    #: Closed value. Unit: USDC.
    ntl: str
    #: `market`, `net`, `insurance` or `adl`.
    step: Literal["adl", "insurance", "market", "net"]
    #: `Cross` or `Isolated`.
    leverageType: Literal["Cross", "Isolated"]
    #: Cause of the step, as in the ledger.
    markPx: str
    #: Cause of the step, as in the ledger.
    accountValue: str
    #: Cause of the step, as in the ledger.
    maintenanceMargin: str


class LiquidationDelta(TypedDict):
    """A step in an account's liquidation, with the figures that caused it."""
    #: Type of the action.
    type: Literal["liquidation"]
    #: Value of the closed positions. Unit: USDC.
    liquidatedNtlPos: str
    #: Equity of the account. Unit: USDC.
    accountValue: str
    #: `Cross` or `Isolated`.
    leverageType: Literal["Cross", "Isolated"]
    #: Closed positions, by `coin` and size `szi`.
    liquidatedPositions: list[LiquidationDeltaLiquidatedPositionsRow]
    #: `market`, `net`, `insurance` or `adl`.
    step: Literal["adl", "cancel", "insurance", "market", "net"]
    #: Mark price. Unit: quote.
    markPx: str
    #: Maintenance margin. Unit: USDC.
    maintenanceMargin: str


class LiquidationDeltaLiquidatedPositionsRow(TypedDict):
    #: Name of the instrument in an answer, its id in a request.
    coin: str
    #: Signed size; negative for a short position. Unit: base.
    szi: str


class MarginSummary(TypedDict):
    """An account's margin. `totalRawUsd` is the account value minus the value of its positions."""
    #: Equity of the account. Unit: USDC.
    accountValue: str
    #: Margin in use. Unit: USDC.
    totalMarginUsed: str
    #: Σ `positionValue`. Unit: USDC.
    totalNtlPos: str
    #: Balance of the sub-account. Unit: USDC.
    totalRawUsd: str


class MarginTier(TypedDict):
    #: Number of the tier.
    tier: int
    #: Lower bound of the position size. Unit: base.
    minSize: str
    #: Upper bound of the position size. Unit: base.
    maxSize: str
    #: Maximum leverage for initial margin.
    maxLeverage: int
    #: Maintenance margin rate for the part of the position in this tier. Unit: fraction.
    mmr: str


class MultiSigSigners2(TypedDict):
    #: Signers.
    authorizedUsers: list[str]
    #: Number of signatures required.
    threshold: int


class OpenInterestRow(TypedDict):
    """The open interest of an instrument at the start of an hour."""
    #: Instrument id.
    coin: str
    #: Time of the hour's first block. Unit: ms.
    time: int
    #: Size of all long positions in a perp, or number of pairs of outcome shares.
    openInterest: str
    #: Mark.
    markPx: str


class OpenOrder(TypedDict):
    #: Short name, such as `BTC`.
    coin: str
    #: Full name, such as `BTC-USDC`.
    symbol: str
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Limit price. Unit: quote.
    limitPx: str
    #: Remaining size. Unit: base.
    sz: str
    #: Original size. Unit: base.
    origSz: str
    #: Order id.
    oid: int
    #: When the order was accepted or, for a triggered order, when it triggered. Unit: ms.
    timestamp: int
    #: For example `Price above 200`.
    triggerCondition: str
    #: Whether the order was a trigger order.
    isTrigger: bool
    #: Trigger price, such as `"200"`.
    triggerPx: str
    #: Dormant TP/SL orders, with the fields of `order` in historicalOrders.
    children: list[HistOrder]
    #: Whether it is a TP/SL order of a position.
    isPositionTpsl: bool
    #: Whether the order is reduce-only.
    reduceOnly: bool
    #: `Buy` or `Sell`.
    dir: str
    #: Always `Limit`.
    orderType: Literal["Limit", "Market"]
    #: `GTC`, `GTD` or `ALO`.
    tif: Literal["ALO", "GTC", "GTD", "IOC"]
    #: Expiry of a `GTD` order. Unit: ms.
    expireTime: NotRequired[int]
    #: Client order id.
    cloid: None | str
    #: Null if nothing has been filled. Unit: quote.
    avgFillPrice: None | str
    #: The account's position mode for the instrument.
    positionMode: Literal["Hedge", "OneWay"]
    #: The account's margin mode for the instrument.
    marginMode: Literal["Cross", "Isolated"]
    #: The account's leverage for the instrument.
    leverage: int
    #: Instrument id.
    instrumentId: int
    #: Always `perps`.
    instrumentType: Literal["outcome", "perps"]
    #: Always `perps`.
    marketType: Literal["outcome", "perps"]
    #: `open`.
    status: Literal["open"]


class OrderReport(TypedDict):
    """The execution of an order from its arrival at the venue to its end."""
    #: Order id.
    oid: int
    #: Client order id.
    cloid: None | str
    #: Instrument id.
    instrumentId: int
    #: Name of the market.
    coin: str
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: `Yes` or `No`; null for a perp.
    outcome: Literal["No", "Yes"] | None
    #: Time in force.
    tif: Literal["ALO", "GTC", "GTD", "IOC"]
    #: Limit price. Unit: quote.
    limitPx: str
    #: Original size. Unit: base.
    origSz: str
    #: `txHash` of the order's action; `time` and `height` of the block that executed the action.
    received: OrderReportReceived
    #: `time` and `height` of the block in which the order entered the order book.
    entered: None | ReportedBlock
    #: The market when the action arrived.
    arrival: None | ReportedArrival
    #: Fills of the order, oldest first; at most the newest 500 fills.
    fills: list[ReportedFill]
    #: Total size of all fills.
    filledSz: str
    #: Average price of all fills.
    avgPx: None | str
    #: Total exchange fees of all fills. Unit: USDC.
    fee: str
    #: Total builder fees of all fills. Unit: USDC.
    builderFee: str
    #: The slippage of the taker fills in basis points, against the mid and the mark at arrival. A
    #: positive value is worse for the owner.
    slippage: None | OrderReportSlippage2
    #: The queue position since the order last came to rest or was amended. `ahead` is null if the
    #: queue is too long to count.
    resting: None | OrderReportResting2
    #: `state`, `reason`, `time` and `height` of the order's end; null while the order is live.
    end: None | OrderReportEnd2


class OrderReportEnd2(TypedDict):
    #: Time of the block. Unit: ms.
    time: int
    #: Height of the block.
    height: int
    #: State of the order.
    state: Literal["cancelled", "filled", "open", "rejected", "triggered"]
    #: Why the order was cancelled or rejected.
    reason: None | str


class OrderReportReceived(TypedDict):
    """`txHash` of the order's action; `time` and `height` of the block that executed the action."""
    #: Time of the block. Unit: ms.
    time: int
    #: Request hash.
    txHash: str
    #: Height of the block.
    height: int


OrderReportResting2 = TypedDict(
    "OrderReportResting2",
    {
        "from": 'int',
        "to": 'None | int',
        "px": 'str',
        "aheadAtStart": 'None | str',
        "ahead": 'None | str',
    },
)


class OrderReportSlippage2(TypedDict):
    #: Difference between the average price and `midPx` on arrival. Unit: bp.
    mid: None | str
    #: Difference between the average price and `markPx` on arrival. Unit: bp.
    mark: str


class OrderResult(TypedDict):
    """The result of one entry of an action, for clients that wait for execution."""
    #: Index of the entry in the request.
    i: int
    #: Order id.
    oid: None | int
    #: Client order id, as sent.
    cloid: None | str
    #: State of the **order** right after execution: `open`, `filled`, `cancelled`, `rejected`.
    state: Literal["cancelled", "filled", "open", "rejected"]
    #: Size filled so far.
    filledSz: str
    #: Average fill price, to six decimal places.
    avgPx: None | str
    #: Reason why the **entry** failed.
    error: None | str


class OutcomeAssetCtx(TypedDict):
    """The market data of an outcome market; all prices are YES prices."""
    #: Instrument id.
    instrumentId: int
    #: Name of the market.
    coin: str
    #: Mark. Unit: USDC.
    markPx: str
    #: Mid price of the order book. Unit: USDC.
    midPx: None | str
    #: Best bid. Unit: USDC.
    bestBid: None | str
    #: Best ask. Unit: USDC.
    bestAsk: None | str
    #: Last price now. Unit: USDC.
    lastPx: None | str
    #: Last price a day ago. Unit: USDC.
    prevDayPx: None | str
    #: Volume of the last day. Unit: USDC.
    dayNtlVlm: str
    #: Volume of the last day. Unit: shares.
    dayBaseVlm: str
    #: All-time volume. Unit: USDC.
    totalNtlVlm: str
    #: Number of complete pairs. Unit: pairs.
    openInterest: str
    #: Difference between the best ask and the best bid. Unit: USDC.
    spread: None | str
    #: Time of the block. Unit: ms.
    time: int


class OutcomeEventMeta(TypedDict):
    """An event with its markets."""
    #: Id.
    event_id: int
    #: Set by the operator.
    slug: str
    #: Set by the operator.
    title: str
    #: Set by the operator.
    description: str
    #: Set by the operator.
    category: str
    #: Tags.
    tags: list[str]
    #: URL of the image.
    image: None | str
    #: URL of the icon.
    icon: None | str
    #: Series that listed the event.
    series_slug: None | str
    #: 1.
    exchange_id: Literal[1]
    #: Whether exactly one market resolves YES.
    mutually_exclusive: bool
    #: Start of the event. Unit: ms.
    start_time: int
    #: End of the event. Unit: ms.
    end_time: int
    #: Time at which the event was registered. Unit: ms.
    created_time: int
    #: `upcoming`, `open` (default), `closed`, `resolved`, `all`.
    status: Literal["closed", "open", "resolved", "upcoming"]
    #: Combined trading state of its markets.
    trading: OutcomeTrading
    #: `total`, `day` and `week`, at YES prices. Unit: USDC.
    volume: OutcomeEventMetaVolume
    #: Value of resting orders. Unit: USDC.
    liquidity: str
    #: Number of complete pairs. Unit: pairs.
    open_interest: str
    #: `resolution_status` (`prepared`, `resolved`) and `resolved_time`.
    settlement: OutcomeEventMetaSettlement
    #: `matched` (default): only the matching markets of an event; `event`: all its markets.
    markets: list[OutcomeMarketMeta]


class OutcomeEventMetaSettlement(TypedDict):
    """`resolution_status` (`prepared`, `resolved`) and `resolved_time`."""
    #: `prepared` or `resolved`.
    resolution_status: Literal["prepared", "resolved"]
    #: Time of the resolution; null before it. Unit: ms.
    resolved_time: None | int


class OutcomeEventMetaVolume(TypedDict):
    """`total`, `day` and `week`, at YES prices. Unit: USDC."""
    #: Volume of all time. Unit: USDC.
    total: str
    #: Volume of the last 24 hours. Unit: USDC.
    day: str
    #: Volume of the last seven days. Unit: USDC.
    week: str


class OutcomeEventPage(TypedDict):
    """A page of events. The cursor is null on the last page."""
    #: One page of events; absent with `eventSlug`, which returns the event itself.
    events: list[OutcomeEventMeta]
    #: Null on the last page.
    next_cursor: None | str


class OutcomeHolder(TypedDict):
    """A holder of shares; `entryPx` is their average cost."""
    #: Holder.
    user: str
    #: Number of shares. Unit: shares.
    sz: str
    #: Average cost of a share. Unit: USDC.
    entryPx: str


class OutcomeHolders(TypedDict):
    """The holders of an outcome's shares, largest first."""
    #: The market.
    instrumentId: int
    #: Name of the market.
    coin: str
    #: `Yes` (default) or `No`.
    outcome: Literal["No", "Yes"]
    #: Number of accounts that hold shares.
    holders: int
    #: Total number of shares held. Unit: shares.
    shares: str
    #: Holders.
    rows: list[OutcomeHolder]
    #: Start of the next page; null after the last row.
    nextCursor: None | str
    #: Time of the block. Unit: ms.
    time: int


class OutcomeMarketMeta(TypedDict):
    """An outcome market in discovery, with names in snake case as in the API."""
    #: Instrument id.
    instrument_id: int
    #: Instrument id, as a string.
    market_id: str
    #: Set by the operator.
    slug: str
    #: Set by the operator.
    question: str
    #: Set by the operator.
    group_title: None | str
    #: Set by the operator.
    description: str
    #: Set by the operator.
    resolution_source: str
    #: Names of YES and NO.
    outcomes: list[str]
    #: Slug of the event.
    event_slug: str
    #: Start of the event. Unit: ms.
    start_time: int
    #: End of the event. Unit: ms.
    end_time: int
    #: `upcoming`, `open`, `halted`, `closed` or `resolved`.
    phase: Literal["closed", "halted", "open", "resolved", "upcoming"]
    #: Tick size. Unit: USDC.
    price_tick: str
    #: Number of decimal places in the tick size.
    price_decimals: int
    #: Number of decimal places in sizes.
    size_decimals: int
    #: Minimum order size. Unit: shares.
    min_order_size: str
    #: Maximum order size. Unit: shares.
    max_order_size: str
    #: Rate of the taker fee, which is rate × size × p × (1 − p).
    taker_fee_rate: str
    #: Always `"0"`, because makers pay no fee.
    maker_fee_rate: str
    #: Always 1: exponent of p × (1 − p) in the taker fee.
    fee_exponent: int
    #: Combined trading state of its markets.
    trading: OutcomeTrading
    #: Prices of the market.
    pricing: OutcomeMarketMetaPricing
    #: `total`, `day` and `week`, at YES prices. Unit: USDC.
    volume: OutcomeMarketMetaVolume
    #: Number of complete pairs. Unit: pairs.
    open_interest: str
    #: `symbol`, `source`, `price_to_beat`, `strike_status`.
    underlying: None | OutcomeMarketMetaUnderlying2
    #: `resolution_status` (`prepared`, `resolved`) and `resolved_time`.
    settlement: OutcomeMarketMetaSettlement


class OutcomeMarketMetaPricing(TypedDict):
    """Prices of the market."""
    #: Mark, or payout after the resolution. Unit: USDC.
    yes_price: str
    #: 1 − `yes_price`. Unit: USDC.
    no_price: str
    #: Best bid for YES. Unit: USDC.
    best_bid: None | str
    #: Best ask for YES. Unit: USDC.
    best_ask: None | str
    #: Last price of YES. Unit: USDC.
    last_price: None | str
    #: Change from the last price a day ago; `"0"` if there was no price then. Unit: USDC.
    change_24h: str


class OutcomeMarketMetaSettlement(TypedDict):
    """`resolution_status` (`prepared`, `resolved`) and `resolved_time`."""
    #: `prepared` or `resolved`.
    resolution_status: Literal["prepared", "resolved"]
    #: `Yes` if the payout is above 0.5, `No` if below, null at 0.5.
    winning_outcome: Literal["No", "Yes"] | None
    #: Payout of a YES share. Unit: USDC.
    settlement_fraction: None | str
    #: Only in a series: `series`, or `operator` if prices are missing.
    decided_by: NotRequired[Literal["operator", "series"]]
    #: Result that the provider reported.
    oracle_outcome: None | str
    #: Time of the resolution; null before it. Unit: ms.
    resolved_time: None | int


class OutcomeMarketMetaUnderlying2(TypedDict):
    #: Name of the underlying.
    symbol: str
    #: Source of the price of the underlying.
    source: Literal["oracle", "spot", "twap"]
    #: Strike of a market in a series; null until the strike is known.
    price_to_beat: None | str
    #: Only in a series: `pending`, `fixed` or `missing`.
    strike_status: NotRequired[Literal["fixed", "missing", "pending"]]


class OutcomeMarketMetaVolume(TypedDict):
    """`total`, `day` and `week`, at YES prices. Unit: USDC."""
    #: Volume of all time. Unit: USDC.
    total: str
    #: Volume of the last 24 hours. Unit: USDC.
    day: str


class OutcomeOpenOrder(TypedDict):
    #: Short name, such as `BTC`.
    coin: str
    #: Full name, such as `BTC-USDC`.
    symbol: str
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Limit price. Unit: quote.
    limitPx: str
    #: Remaining size. Unit: base.
    sz: str
    #: Original size. Unit: base.
    origSz: str
    #: Order id.
    oid: int
    #: When the order was accepted or, for a triggered order, when it triggered. Unit: ms.
    timestamp: int
    #: For example `Price above 200`.
    triggerCondition: str
    #: Whether the order was a trigger order.
    isTrigger: bool
    #: Trigger price, such as `"200"`.
    triggerPx: str
    #: Dormant TP/SL orders, with the fields of `order` in historicalOrders.
    children: list[HistOrder]
    #: Whether it is a TP/SL order of a position.
    isPositionTpsl: bool
    #: Whether the order is reduce-only.
    reduceOnly: bool
    #: `Buy` or `Sell`.
    dir: str
    #: Always `Limit`.
    orderType: Literal["Limit", "Market"]
    #: `GTC`, `GTD` or `ALO`.
    tif: Literal["ALO", "GTC", "GTD", "IOC"]
    #: Expiry of a `GTD` order. Unit: ms.
    expireTime: NotRequired[int]
    #: Client order id.
    cloid: None | str
    #: Null if nothing has been filled. Unit: quote.
    avgFillPrice: None | str
    #: The account's position mode for the instrument.
    positionMode: Literal["Hedge", "OneWay"]
    #: The account's margin mode for the instrument.
    marginMode: Literal["Cross", "Isolated"]
    #: The account's leverage for the instrument.
    leverage: int
    #: Instrument id.
    instrumentId: int
    #: Always `perps`.
    instrumentType: Literal["outcome", "perps"]
    #: Always `perps`.
    marketType: Literal["outcome", "perps"]
    #: `open`.
    status: Literal["open"]
    #: Outcome markets only.
    outcome: Literal["No", "Yes"]
    #: Outcome markets only.
    title: str
    #: Outcome markets only.
    slug: str
    #: Slug of the event.
    eventSlug: str
    #: Names of YES and NO.
    outcomeNames: list[str]


class OutcomeProbability(TypedDict):
    """The probabilities of YES over time, oldest first."""
    #: One element per known market.
    series: list[OutcomeProbabilitySeriesRow]


class OutcomeProbabilitySeriesRow(TypedDict):
    #: Instrument id.
    instrumentId: int
    #: Current mark. Unit: USDC.
    current: str
    #: Points, oldest first.
    points: list[OutcomeProbabilitySeriesRowPointsRow]


class OutcomeProbabilitySeriesRowPointsRow(TypedDict):
    #: Time: a multiple of `fidelity` minutes. Unit: ms.
    t: int
    #: Mark in effect at this time. Unit: USDC.
    p: str


class OutcomeResolution(TypedDict):
    """
    A market's resolution record, from which clients can recompute the result. The keys are in
    this order.
    """
    #: Instrument id.
    instrumentId: int
    #: `prepared` or `resolved`.
    resolutionStatus: Literal["prepared", "resolved"]
    #: Payout of a YES share. Unit: USDC.
    settlementFraction: None | str
    #: `Yes`, `No` or null.
    winningOutcome: Literal["No", "Yes"] | None
    #: Time of the resolution. Unit: ms.
    resolvedTime: None | int
    #: Height of the block that contains the resolution.
    block: None | int
    #: Who resolved the market: `series` or `operator`.
    by: Literal["operator", "series"] | None
    #: Hash of the operator's request; null if the series resolved the market.
    txHash: None | str
    #: Result stated by the provider; for information only.
    oracleOutcome: None | str
    #: Evidence stated by the operator; for information only.
    evidence: None | str
    #: Inputs of the calculation; null if the operator resolved the market.
    inputs: None | OutcomeResolutionInputs
    #: Keccak-256 of the JSON text of the preceding fields.
    receiptHash: None | str


class OutcomeResolutionInputs(TypedDict):
    """The inputs used by a series to resolve a market."""
    #: Symbol of the reference price.
    symbol: str
    #: Source of the reference price.
    source: str
    #: Averaging window. Unit: ms.
    windowMs: int
    #: Rounded average before the start.
    strike: str
    #: Rounded average before the end.
    settle: str
    #: Samples for `strike`, one per second: time `t` and price `px`.
    strikeSamples: list[OutcomeResolutionInputsStrikeSamplesRow]
    #: Samples for `settle`, one per second: time `t` and price `px`.
    settleSamples: list[OutcomeResolutionInputsSettleSamplesRow]
    #: Formula of the result.
    formula: str


class OutcomeResolutionInputsSettleSamplesRow(TypedDict):
    #: Time of the sample. Unit: ms.
    t: int
    #: Price of the sample. Unit: quote.
    px: str


class OutcomeResolutionInputsStrikeSamplesRow(TypedDict):
    #: Time of the sample. Unit: ms.
    t: int
    #: Price of the sample. Unit: quote.
    px: str


class OutcomeSeriesTimeline(TypedDict):
    """A series and its markets, newest start first."""
    #: The series.
    seriesSlug: str
    #: The series.
    title: str
    #: The series.
    underlying: str
    #: The series.
    recurrence: Literal["15m", "1d", "1h", "4h"]
    #: Length of the windows before start and end in which the reference price is averaged. Unit:
    #: ms.
    windowMs: int
    #: The market in progress, in the format of `items`.
    current: None | OutcomeTimelineItem
    #: Rows of the page.
    items: list[OutcomeTimelineItem]
    #: Whether there are older markets.
    hasMore: bool


class OutcomeSettlementDelta(TypedDict):
    """
    The payout for one outcome of a resolved market. The fraction is the payout of a YES
    share.
    """
    #: Type of the action.
    type: Literal["outcomeSettlement"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: Instrument id.
    instrumentId: int
    #: `Yes` or `No`.
    outcome: Literal["No", "Yes"]
    #: Size. Unit: base.
    sz: str
    #: Payout per YES share. Unit: fraction.
    settlementFraction: str


class OutcomeTimelineItem(TypedDict):
    """A market in a series."""
    #: Slug of the event.
    eventSlug: str
    #: Slug of the market.
    marketSlug: str
    #: Instrument id.
    instrumentId: int
    #: Start of the time range, inclusive. Unit: ms.
    startTime: int
    #: End of the time range, inclusive. Unit: ms.
    endTime: int
    #: The start price of the market, also called the strike.
    openPrice: None | str
    #: The average price at the end, used to settle the market.
    closePrice: None | str
    #: `strike_status` of outcomeMeta.
    strikeStatus: Literal["fixed", "missing", "pending"]
    #: `prepared` or `resolved`.
    resolutionStatus: Literal["prepared", "resolved"]
    #: `decided_by` of outcomeMeta.
    decidedBy: Literal["operator", "series"]
    #: `Yes`, `No` or null.
    winningOutcome: Literal["No", "Yes"] | None
    #: Mark, or the payout of YES. Unit: USDC.
    probability: None | str


class OutcomeTrading(TypedDict):
    """
    The trading status of a market or an event. An event is enabled or accepting orders if any
    of its markets is, halted if all are, and has the longest delay.
    """
    #: Whether the market is upcoming, open or halted.
    enabled: bool
    #: Whether the market is open and access to the channel is not closed.
    accepting_orders: bool
    #: Whether the market is halted.
    halted: bool
    #: Delay of taker orders. Unit: ms.
    order_delay_ms: int


class PermitDeposit(TypedDict):
    """The transaction for a deposit by permit."""
    #: Transaction on the settlement chain.
    txHash: str


class PerpMeta(TypedDict):
    #: Name, such as `BTC-USDC`.
    name: str
    #: Instrument id.
    index: int
    #: Base asset, such as `BTC`.
    baseCurrency: str
    #: Always `USDC`.
    quoteCurrency: str
    #: Always `usdc`.
    currencyType: str
    #: Lot size. Unit: base.
    basePrecision: str
    #: Always `0.000001`. Unit: USDC.
    quotePrecision: str
    #: Number of decimal places in sizes; −n: sizes are multiples of 10^n.
    szDecimals: int
    #: Maximum leverage of the first margin tier.
    maxLeverage: int
    #: Asset ids of the base asset and USDC.
    tokens: list[float]
    #: Tick size. Unit: quote.
    priceTick: str
    #: The same value as `priceTick`. Unit: quote.
    pricePrecision: str
    #: Price steps by which l2Book can group levels, finest first.
    bookTicks: list[str]
    #: Maximum size of `Gtc`, `Gtd` and `Alo` orders. Unit: base.
    maxLimitOrderSize: float
    #: Maximum size of `Ioc` and `FrontendMarket` orders. Unit: base.
    maxMarketOrderSize: float
    #: Whether new orders are currently rejected.
    haltTrading: bool
    #: Whether only isolated margin is allowed.
    onlyIsolated: bool
    #: Whether the perp is closing (it then accepts only reducing orders) or closed; see R-delist.
    delisted: bool
    #: End of the one-hour closing period of a delisted perp. Unit: ms.
    closingTime: None | int
    #: `false`: margin tiers are based on size.
    useNotionalMargin: bool
    #: Labels set by the operator.
    tagIds: NotRequired[list[float]]


class PerpMetaDetail(TypedDict):
    """A base asset and its perps."""
    #: Asset.
    asset: PerpMetaDetailAsset
    #: Perps of the base asset.
    instruments: list[PerpMetaDetailInstrumentsRow]


class PerpMetaDetailAsset(TypedDict):
    """Asset."""
    #: Name, such as `BTC`.
    name: str
    #: Asset id.
    assetId: int
    #: Number of decimal places in sizes.
    szDecimals: int
    #: Number of decimal places of the token.
    weiDecimals: int
    #: Supply as registered by the operator.
    maxSupply: str
    #: Supply as registered by the operator.
    initialWei: str
    #: Supply as registered by the operator.
    archorTokenWei: str


class PerpMetaDetailInstrumentsRow(TypedDict):
    #: The perp.
    perp: PerpMetaDetailInstrumentsRowPerp
    #: `{tiers: [{tier, minSize, maxSize, maxLeverage, mmr}]}`, 1 to 20 tiers.
    marginTable: PerpMetaDetailInstrumentsRowMarginTable


class PerpMetaDetailInstrumentsRowMarginTable(TypedDict):
    """`{tiers: [{tier, minSize, maxSize, maxLeverage, mmr}]}`, 1 to 20 tiers."""
    #: Instrument id.
    instrumentId: int
    #: Margin tiers, ascending by size.
    tiers: list[MarginTier]


class PerpMetaDetailInstrumentsRowPerp(TypedDict):
    """The perp."""
    #: `name` and `index` in perpMeta.
    name: str
    #: `name` and `index` in perpMeta.
    instrumentId: float
    #: Asset ids of the base asset and USDC.
    assets: list[float]
    #: Number of decimal places in sizes; −n: sizes are multiples of 10^n.
    szDecimals: int
    #: `linear`.
    perpType: str
    #: Taker rate of the instrument. Unit: fraction.
    takerFeeRate: str
    #: Maker rate of the instrument. Unit: fraction.
    makerFeeRate: str
    #: Tick size. Unit: quote.
    priceTick: str
    #: Price steps by which l2Book can group levels, finest first.
    bookTicks: list[str]
    #: Maximum size of `Gtc`, `Gtd` and `Alo` orders. Unit: base.
    maxLimitOrderSize: float
    #: Maximum size of `Ioc` and `FrontendMarket` orders. Unit: base.
    maxMarketOrderSize: float
    #: Whether new orders are currently rejected.
    haltTrading: bool
    #: Whether only isolated margin is allowed.
    onlyIsolated: bool
    #: Whether the perp is closing (it then accepts only reducing orders) or closed; see R-delist.
    delisted: bool
    #: End of the one-hour closing period of a delisted perp. Unit: ms.
    closingTime: None | int
    #: Maximum premium in a funding sample. Unit: fraction.
    premiumCap: str


class PerpUniverse(TypedDict):
    #: All perps, each with the fields below.
    universe: list[PerpMeta]


class Portfolio(TypedDict):
    """An account's value over time, as evenly spaced points. The last point is the present."""
    #: Time range of the answer.
    window: Literal["all", "day", "month", "week"]
    #: Deposits in the window. Unit: USDC.
    deposits: str
    #: Withdrawals in the window. Unit: USDC.
    withdrawals: str
    #: At most 500 points at equal intervals, the last one at the current time.
    points: list[PortfolioPoint]


class PortfolioPoint(TypedDict):
    """
    An account's value at a given time. The other fields are sums since the start of the
    window.
    """
    #: Time of the point. Unit: ms.
    time: int
    #: Value of both sub-accounts at the marks. Unit: USDC.
    accountValue: str
    #: Change in account value, less deposits, plus withdrawals. Unit: USDC.
    pnl: str
    #: Volume since the start of the window. Unit: USDC.
    volume: str
    #: Fees since the start of the window. Unit: USDC.
    fees: str
    #: Funding since the start of the window. Unit: USDC.
    funding: str


class Position(TypedDict):
    """
    A position on a perp, or in the shares of an outcome market. On outcome markets, `szi` is
    positive for YES and negative for NO.
    """
    #: Rank in the ADL queue, 0 to 4; 4 is closed first.
    adlQuantile: int
    #: Instrument id.
    asset: str
    #: Name of the instrument.
    coin: str
    #: Funding in total (`allTime`), since the position was opened (`sinceOpen`) and since the last
    #: size change (`sinceChange`); positive: collected. Unit: USDC.
    cumFunding: PositionCumFunding
    #: Cost / \|szi\|, to six decimals. Unit: quote.
    entryPx: str
    #: `type` (`Cross`, `Isolated`), `value`, `rawUsd`.
    leverage: PositionLeverage
    #: The first mark at which `marginRatio` would be 1 or less. Unit: quote.
    liquidationPx: str
    #: Cross: `crossMarginRatio`; isolated: `marginUsed` / (maintenance margin + 0.5% of
    #: `positionValue`).
    marginRatio: str
    #: Cross: `positionValue` / leverage; isolated: its margin + `unrealizedPnl`. Unit: USDC.
    marginUsed: str
    #: Mark. Unit: quote.
    markPx: str
    #: Maximum leverage of the margin tier that contains \|szi\|.
    maxLeverage: int
    #: \|szi\| × mark. Unit: USDC.
    positionValue: str
    #: `unrealizedPnl` × leverage / cost.
    returnOnEquity: str
    #: Signed size. Unit: base.
    szi: str
    #: Szi × mark − cost. Unit: USDC.
    unrealizedPnl: str
    #: Time of the last size change. Unit: ms.
    updateTime: int
    #: Fees since the position was opened or flipped; negative: paid. Unit: USDC.
    cumFee: str
    #: Realised PnL since the position was opened or flipped. Unit: USDC.
    closedPnl: str
    #: Title of the market; only for outcome positions.
    title: NotRequired[str]
    #: Slug of the market.
    slug: NotRequired[str]
    #: Names of YES and NO.
    outcomeNames: NotRequired[list[str]]
    #: Number of decimal places in prices.
    priceDecimals: NotRequired[int]
    #: Number of decimal places in sizes.
    sizeDecimals: NotRequired[int]
    #: `prepared` or `resolved`.
    resolutionStatus: NotRequired[Literal["prepared", "resolved"]]


class PositionCumFunding(TypedDict):
    """
    Funding in total (`allTime`), since the position was opened (`sinceOpen`) and since the
    last size change (`sinceChange`); positive: collected. Unit: USDC.
    """
    #: Funding in total; positive: collected. Unit: USDC.
    allTime: str
    #: Funding since the last size change; positive: collected. Unit: USDC.
    sinceChange: str
    #: Funding since the position was opened; positive: collected. Unit: USDC.
    sinceOpen: str


class PositionLeverage(TypedDict):
    """The leverage of a position; `rawUsd` is empty for cross margin."""
    #: Margin assigned to the isolated position; empty for cross margin. Unit: USDC.
    rawUsd: str
    #: Margin mode, `Cross` or `Isolated`.
    type: Literal["Cross", "Isolated"]
    #: Leverage.
    value: int


class PositionTpsl(TypedDict):
    """A take-profit and a stop-loss of a position. Unlike elsewhere, the order ids are strings."""
    #: Time of placement. Unit: ms.
    createTime: int
    #: Size to close; `"0"`: the whole position. Unit: base.
    quantity: str
    #: Order id of the stop-loss order.
    slOid: str
    #: Limit price; `""` for a market order. Unit: quote.
    slOrderPrice: str
    #: `Market` or `Limit`.
    slOrderType: str
    #: Trigger price (mark) of the stop-loss order. Unit: quote.
    slTriggerPrice: str
    #: Order id of the take-profit order.
    tpOid: str
    #: Limit price; `""` for a market order. Unit: quote.
    tpOrderPrice: str
    #: `Market` or `Limit`.
    tpOrderType: str
    #: Trigger price (mark) of the take-profit order. Unit: quote.
    tpTriggerPrice: str


class PublishedReserves(TypedDict):
    """The figures recorded in the log, with the root of the tree over all liabilities."""
    #: Height of the venue block.
    height: int
    #: Time of the venue block; for `published`, time of publication. Unit: ms.
    time: int
    #: Deposits, including test funds, less paid withdrawals. Unit: USDC.
    owed: str
    #: Block of the settlement chain.
    blockNumber: int
    #: The bridge's balance at that block. Unit: USDC.
    balance: str
    #: Deposits that have not been credited yet. Unit: USDC.
    keptAside: str
    #: `balance` − `keptAside`. Unit: USDC.
    assets: str
    #: Withdrawals that the bridge has paid but the venue still holds. Unit: USDC.
    unsettled: str
    #: Test funds not yet minted on the chain. Unit: USDC.
    unbacked: str
    #: `assets + unsettled + unbacked − owed`; `"0"` if fully backed. Unit: USDC.
    difference: str
    #: Root of the tree of all liabilities.
    root: str
    #: Number of leaves of the tree.
    leaves: int
    #: Sum of all leaves: `owed` + `shortfall`. Unit: USDC.
    liabilities: str
    #: Sum of negative balances. Unit: USDC.
    shortfall: str


class RateLimit(TypedDict):
    """The remaining budgets of the requesting client."""
    #: Client address.
    ip: str
    #: Current time. Unit: ms.
    time: int
    #: `{limit, windowMs, remaining, resetMs}`.
    info: Budget
    #: `{limit, windowMs, remaining, resetMs}`.
    exchange: Budget
    #: `{limit, windowMs, remaining, resetMs}`.
    explainSignature: Budget
    #: `{limit, windowMs, remaining, resetMs}`.
    simulate: Budget
    #: `{limit_ms_per_second, remaining_ms}`; absent if limits are disabled.
    work: NotRequired[RateLimitWork]
    #: Connections `{limit, open}`.
    ws: Connections
    #: Connections `{limit, open}`.
    apiWs: Connections
    #: Connections `{limit, open}`.
    wsRtds: Connections
    #: Time of the next possible faucet grant; null if a grant is available now. Unit: ms.
    faucetNextTime: None | int


class RateLimitWork(TypedDict):
    """`{limit_ms_per_second, remaining_ms}`; absent if limits are disabled."""
    #: Work that the client may cause per second. Unit: ms.
    limit_ms_per_second: float
    #: Work that the client may still cause now. Unit: ms.
    remaining_ms: float


class ReportedArrival(TypedDict):
    """
    The book at the time an order arrived. For an outcome order, prices are those of its
    outcome.
    """
    #: Best bid on arrival; null if there were no bids.
    bestBid: None | str
    #: Best ask on arrival; null if there were no asks.
    bestAsk: None | str
    #: Mid price on arrival; null if a side of the book was empty.
    midPx: None | str
    #: Mark price on arrival.
    markPx: str
    #: Oracle price on arrival.
    oraclePx: str
    #: Price levels `{px, sz}` that the order matched, best first, at most 50.
    met: list[ReportedArrivalMetRow]


class ReportedArrivalMetRow(TypedDict):
    #: Price. Unit: quote.
    px: str
    #: Size. Unit: base.
    sz: str


class ReportedBlock(TypedDict):
    #: Time of the block. Unit: ms.
    time: int
    #: Height of the block.
    height: int


class ReportedFill(TypedDict):
    """A fill of an order in a report."""
    #: Time of the block. Unit: ms.
    time: int
    #: Height of the block.
    height: int
    #: Trade id.
    tid: int
    #: Price.
    px: str
    #: Size.
    sz: str
    #: `taker` or `maker`.
    role: Literal["maker", "taker"]
    #: Exchange fee of the fill. Unit: USDC.
    fee: str
    #: Builder fee of the fill. Unit: USDC.
    builderFee: str


class ReserveChain(TypedDict):
    """The contracts on the settlement chain; null without a chain."""
    #: Chain id.
    chainId: int
    #: Address of the bridge contract.
    bridge: str
    #: USDC contract.
    token: str


class ReserveFigures(TypedDict):
    """
    The liabilities and assets at one block of the venue and one of the settlement chain, as
    decimal strings in USDC.
    """
    #: Height of the venue block.
    height: int
    #: Time of the venue block; for `published`, time of publication. Unit: ms.
    time: int
    #: Deposits, including test funds, less paid withdrawals. Unit: USDC.
    owed: str
    #: Block of the settlement chain.
    blockNumber: int
    #: The bridge's balance at that block. Unit: USDC.
    balance: str
    #: Deposits that have not been credited yet. Unit: USDC.
    keptAside: str
    #: `balance` − `keptAside`. Unit: USDC.
    assets: str
    #: Withdrawals that the bridge has paid but the venue still holds. Unit: USDC.
    unsettled: str
    #: Test funds not yet minted on the chain. Unit: USDC.
    unbacked: str
    #: `assets + unsettled + unbacked − owed`; `"0"` if fully backed. Unit: USDC.
    difference: str


class Reserves(TypedDict):
    #: `{chainId, bridge, token}`; null if there is no settlement chain.
    chain: None | ReserveChain
    #: Newest values in the log; null before the first publication.
    published: None | PublishedReserves
    #: Current values, without the fields of the liabilities tree; null until the chain has been
    #: read.
    current: None | ReserveFigures


class ReservesProof(TypedDict):
    """
    Proof that the last publication includes an address; null if the address had no account at
    that time.
    """
    #: `{chainId, bridge, token}`; null if there is no settlement chain.
    chain: ReserveChain
    #: Newest values in the log; null before the first publication.
    published: PublishedReserves
    #: Account of the leaf.
    user: str
    #: Amount of the leaf. Unit: USDC.
    amount: str
    #: `perp`, `outcome`, `withdrawHold` and `rewards`, the parts of the amount. Unit: USDC.
    parts: ReservesProofParts
    #: Salt of the leaf.
    salt: str
    #: Position of the leaf, from 0.
    index: int
    #: `{hash, sum}` from the leaf to the root.
    siblings: list[ReservesProofSiblingsRow]


class ReservesProofParts(TypedDict):
    """`perp`, `outcome`, `withdrawHold` and `rewards`, the parts of the amount. Unit: USDC."""
    #: Share of the perp sub-account. Unit: USDC.
    perp: str
    #: Share of the outcome sub-account. Unit: USDC.
    outcome: str
    #: Withdrawals that are not paid yet. Unit: USDC.
    withdrawHold: str
    #: Unclaimed builder rewards. Unit: USDC.
    rewards: str


class ReservesProofSiblingsRow(TypedDict):
    #: Hash of the request or block.
    hash: str
    #: Sum of the subtree. Unit: USDC.
    sum: str


class ReverseJob(TypedDict):
    """A position reversal in progress."""
    #: Instrument id.
    asset: str
    #: Name of the instrument.
    coin: str
    #: Size closed so far. Unit: base.
    filledCloseQty: str
    #: Margin mode.
    marginMode: str
    #: Phase of a running reverse job: `Closing` or `Opening`.
    phase: Literal["Closing", "Done", "Failed", "Opening"]
    #: Position size at the start of the job. Unit: base.
    positionSzAtStart: str


class Settings1(TypedDict):
    #: Whether there is a relay.
    has_relay: Literal[True]
    #: URL of the relay; `""` if there is none.
    relay_url: str
    #: Bridge on the settlement chain; the zero address if there is no settlement chain.
    bridge2_contract_address: str
    #: Chain id of the settlement chain.
    settlement_chain_id: int
    #: USDC on the settlement chain; the zero address if there is no settlement chain.
    usdc_contract_address: str
    #: Insurance fund.
    insurance_fund_address: str
    #: Always 6.
    usdc_decimals: Literal[6]
    #: Minimum deposit.
    min_deposit: str
    #: Minimum withdrawal. Unit: USDC.
    min_withdraw: str
    #: Withdrawal fee. Unit: USDC.
    withdraw_fee: str
    #: Network name.
    service_network: str
    #: Chain id for signing.
    chain_id: int
    #: API version for signing.
    api_version: int
    #: Version of the protocol.
    protocol_version: int
    #: Name of the venue in the relay.
    chain_name: str
    #: RPC endpoint for wallets, if the operator provides such an endpoint.
    settlement_rpc_url: None | str
    #: Amount of one grant; null if there is no faucet. Unit: USDC.
    faucet_amount: None | str
    #: Whether simulated traders are running.
    simulated_traders: bool
    #: Accounts of the simulated traders.
    simulated_accounts: list[str]
    #: Whether there is a leaderboard.
    has_leaderboard: bool
    #: Replicas of a cluster, if the operator has configured the list.
    replicas: NotRequired[list[Settings1ReplicasRow]]


class Settings1ReplicasRow(TypedDict):
    #: Name of a replica.
    replica: str
    #: URL of the replica.
    url: str
    #: Block height of the replica.
    height: int


class Settings2(TypedDict):
    #: Whether there is a relay.
    has_relay: Literal[False]
    #: URL of the relay; `""` if there is none.
    relay_url: Literal[""]
    #: Bridge on the settlement chain; the zero address if there is no settlement chain.
    bridge2_contract_address: str
    #: Chain id of the settlement chain.
    settlement_chain_id: int
    #: USDC on the settlement chain; the zero address if there is no settlement chain.
    usdc_contract_address: str
    #: Insurance fund.
    insurance_fund_address: str
    #: Always 6.
    usdc_decimals: Literal[6]
    #: Minimum deposit.
    min_deposit: str
    #: Minimum withdrawal. Unit: USDC.
    min_withdraw: str
    #: Withdrawal fee. Unit: USDC.
    withdraw_fee: str
    #: Network name.
    service_network: str
    #: Chain id for signing.
    chain_id: int
    #: API version for signing.
    api_version: int
    #: Version of the protocol.
    protocol_version: int
    #: Name of the venue in the relay.
    chain_name: str
    #: RPC endpoint for wallets, if the operator provides such an endpoint.
    settlement_rpc_url: None | str
    #: Amount of one grant; null if there is no faucet. Unit: USDC.
    faucet_amount: None | str
    #: Whether simulated traders are running.
    simulated_traders: bool
    #: Accounts of the simulated traders.
    simulated_accounts: list[str]
    #: Whether there is a leaderboard.
    has_leaderboard: bool
    #: Replicas of a cluster, if the operator has configured the list.
    replicas: NotRequired[list[Settings2ReplicasRow]]


class Settings2ReplicasRow(TypedDict):
    #: Name of a replica.
    replica: str
    #: URL of the replica.
    url: str
    #: Block height of the replica.
    height: int


class SettlementHealth(TypedDict):
    """The state of the connection to the settlement chain."""
    #: Chain id.
    chainId: int
    #: `ok`, or the problem.
    state: str
    #: Newest block of the chain.
    head: int
    #: Block up to which deposits have been read.
    readTo: int
    #: Whether this reading is up to date.
    current: bool
    #: Whether the bridge is paused; null until this has been read.
    paused: bool | None


class SimulatedAction(TypedDict):
    """The effect of an action on the state after block `height`."""
    #: Height of the block on whose state the simulation is based.
    height: int
    #: Time of that block. Unit: ms.
    time: int
    #: False: /exchange would return `status: "err"`.
    accepted: bool
    #: The rejection, or the first failed entry, as in actionStatus.
    error: None | ExecutionError
    #: One element per order or cancel; absent for other actions.
    orders: list[SimulatedOrder]
    #: Cross margin account after the action; null if `user` has no account.
    margin: None | SimulatedActionMargin2
    #: `{available, reserved}` of the outcome sub-account after the action.
    outcome: None | SimulatedActionOutcome2
    #: Affected positions after the action.
    positions: list[SimulatedPosition]
    #: Notices next to a success, when a condition differs from what the client may expect.
    warnings: list[Warning]


class SimulatedActionMargin2(TypedDict):
    #: Equity of the account. Unit: USDC.
    accountValue: str
    #: Initial margin, including that of resting orders. Unit: USDC.
    initialMargin: str
    #: Maintenance margin. Unit: USDC.
    maintenanceMargin: str
    #: Cross `accountValue` / (maintenance margin + 0.5% of `totalNtlPos`).
    crossMarginRatio: str
    #: Min(balance, `accountValue` − max(initial margin, 10% of `totalNtlPos`)), at least 0. Unit:
    #: USDC.
    withdrawable: str


class SimulatedActionOutcome2(TypedDict):
    #: Free USDC after the action. Unit: USDC.
    available: str
    #: Amounts reserved for orders after the action. Unit: USDC.
    reserved: str


class SimulatedOrder(TypedDict):
    """The result and cost of one entry of a simulated action."""
    #: Index of the entry in the request.
    i: int
    #: Order id.
    oid: None | int
    #: Client order id, as sent.
    cloid: None | str
    #: State of the **order** right after execution: `open`, `filled`, `cancelled`, `rejected`.
    state: Literal["cancelled", "filled", "open", "rejected"]
    #: Size filled so far.
    filledSz: str
    #: Average fill price, to six decimal places.
    avgPx: None | str
    #: The rejection, or the first failed entry, as in actionStatus.
    error: None | str
    #: Size that would rest in the order book. Unit: base.
    restingSz: str
    #: Exchange fee. Unit: USDC.
    fee: str
    #: Taker rate if the order fills, maker rate if the order only rests, otherwise `"0"`. Unit:
    #: fraction.
    feeRate: str
    #: Builder fee. Unit: USDC.
    builderFee: str
    #: Delay of an outcome order. Unit: ms.
    delayMs: int


class SimulatedPosition(TypedDict):
    """The position after the action; its size is 0 if the action would close the position."""
    #: Instrument id.
    instrumentId: int
    #: Signed size; `"0"` if the position would be closed. Unit: base.
    szi: str
    #: Entry price. Unit: quote.
    entryPx: str
    #: Leverage.
    leverage: int
    #: Margin. Unit: USDC.
    marginUsed: str
    #: Liquidation price. Unit: quote.
    liquidationPx: str


class StateHash(TypedDict):
    """The hash of the venue's whole state after a block."""
    #: Height of the block.
    height: int
    #: Time of the block. Unit: ms.
    blockTime: int
    #: Hash of the whole state.
    stateHash: str


class TransferDelta(TypedDict):
    """A transfer between two accounts. The sender pays the fee on top of the amount."""
    #: Type of the action.
    type: Literal["receive", "send"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]
    #: The account.
    user: str
    #: Recipient on the settlement chain.
    destination: str
    #: Withdrawal fee. Unit: USDC.
    fee: str
    #: Sub-account of the sender: `perp` (alias `perps`) or `outcome`.
    fromAccountType: str
    #: Sub-account of the recipient: `perp` (alias `perps`) or `outcome`.
    toAccountType: str


class TriggerChild(TypedDict):
    """A take-profit or stop-loss waiting for its parent order."""
    #: Limit price; not used for a `Market` order. Unit: quote.
    limitPx: str
    #: `Market` or `Limit`.
    orderType: Literal["Limit", "Market"]
    #: Whether the order is reduce-only.
    reduceOnly: bool
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Size. Unit: base.
    sz: str
    #: Trigger price (mark). Unit: quote.
    triggerPx: str
    #: `tp` or `sl`; only in elements of `tpslChildren`.
    triggerType: Literal["sl", "tp"]


class TriggerOrder(TypedDict):
    """A trigger order waiting for its trigger price."""
    #: Instrument id.
    asset: str
    #: Name of the instrument.
    coin: str
    #: Time of placement. Unit: ms.
    createTime: int
    #: The account's leverage for the instrument.
    leverage: int
    #: Limit price; not used for a `Market` order. Unit: quote.
    limitPx: str
    #: The account's margin mode for the instrument.
    marginMode: Literal["Cross", "Isolated"]
    #: Order id.
    oid: int
    #: `Market` or `Limit`.
    orderType: Literal["Limit", "Market"]
    #: The account's position mode for the instrument.
    positionMode: Literal["Hedge", "OneWay"]
    #: Whether the order is reduce-only.
    reduceOnly: bool
    #: `B` (buy) or `A` (sell).
    side: Literal["A", "B"]
    #: Size. Unit: base.
    sz: str
    #: Trigger price (mark). Unit: quote.
    triggerPx: str
    #: `Pending` or `Triggered`.
    triggerState: Literal["Cancelled", "Pending", "Rejected", "Triggered"]
    #: Client order id.
    cloid: None | str
    #: Dormant TP/SL orders.
    tpslChildren: None | list[TriggerChild]


class TxBrief(TypedDict):
    """A signed request as it appears in lists."""
    #: Hash of the request.
    hash: str
    #: Time of the block. Unit: ms.
    time: int
    #: Account for which the request acts.
    user: str
    #: Height of the block.
    block: int
    #: Execution error.
    error: None | str
    #: `{type}`.
    action: TxBriefAction
    #: Number of entries; 1 for an action without a list.
    entries: None | int


class TxBriefAction(TypedDict):
    """`{type}`."""
    #: Type of the action.
    type: str


class TxDetail(TypedDict):
    """A signed request as received, with its result."""
    #: Hash of the request.
    hash: str
    #: Time of the block. Unit: ms.
    time: int
    #: Account for which the request acts.
    user: str
    #: Height of the block.
    block: int
    #: Execution error.
    error: None | str
    #: Position in the block.
    index: int
    #: Signer.
    signer: str
    #: Nonce, as received.
    nonce: int
    #: Vault for which the request was sent.
    vaultAddress: None | str
    #: Optional: EIP-712 chain id with which the wallet signed.
    signatureChainId: None | int
    #: Optional, signed: venue time after which the action is rejected. Unit: ms.
    expiresAfter: None | int
    #: The complete action, as received.
    action: TxDetailAction
    #: Signature, as received.
    signature: TxDetailSignature
    #: Trace id of the acknowledgement.
    traceId: None | str
    #: `type`, `statuses` and `orders`.
    result: TxDetailResult


class TxDetailAction(TypedDict):
    """The complete action, as received."""
    #: Type of the action.
    type: str


class TxDetailResult(TypedDict):
    """`type`, `statuses` and `orders`."""
    #: Type of the action.
    type: str
    #: One element: `"success"`, or `{error, code, name, details}` for the first entry that failed.
    statuses: list[Literal["success"] | ActionResultStatus2]
    #: One element per order or cancel; absent for other actions.
    orders: NotRequired[list[OrderResult]]


class TxDetailSignature(TypedDict):
    """Signature, as received."""
    #: First half of the signature, `0x` and 64 hexadecimal digits.
    r: str
    #: Second half of the signature, `0x` and 64 hexadecimal digits; a low value.
    s: str
    #: Recovery id: 27 or 28.
    v: int


class TxRow(TypedDict):
    """A signed request executed in a block. `error` is its execution error."""
    #: Hash of the request.
    hash: str
    #: Time of the block. Unit: ms.
    time: int
    #: Account for which the request acts.
    user: str
    #: `{type}`.
    action: TxRowAction
    #: Height of the block.
    block: int
    #: Execution error.
    error: None | str


class TxRowAction(TypedDict):
    """`{type}`."""
    #: Type of the action.
    type: str


class UserFundings(TypedDict):
    """A page of funding payments. `total` is absent if it is unknown."""
    #: Rows.
    data: list[FundingRow]
    #: Whether there are more rows.
    hasMore: bool
    #: Number of rows.
    total: NotRequired[int]


class VenueGate(TypedDict):
    """A channel's access control, with the sizes of its lists."""
    #: 0 for perps, 1 for outcome markets.
    channel: Literal[0, 1]
    #: Access mode.
    mode: Literal["accessCode", "closed", "open", "whitelist"]
    #: Number of entries; gateLists returns the entries.
    whitelist: int
    #: Number of entries; gateLists returns the entries.
    blacklist: int
    #: Number of entries; gateLists returns the entries.
    accessCodes: int
    #: Number of entries; gateLists returns the entries.
    grants: int


class VenueHealth(TypedDict):
    """The health of the responding process; the venue's other processes may differ."""
    #: Current time. Unit: ms.
    time: int
    #: Height of the last block.
    height: int
    #: Age of the last block. Unit: ms.
    blockAgeMs: int
    #: Whether the venue accepts trading.
    ready: bool
    #: Failed checks.
    failing: list[Literal["bridge", "clock", "cluster", "disk", "history", "log", "prices", "stopping"]]
    #: Commands waiting for a block.
    waitingCommands: int
    #: Number of blocks that the history indexer has not written yet.
    historyLag: int
    #: Open sockets: `ws`, `apiWs`, `wsRtds`.
    connections: VenueHealthConnections
    #: Number of streams with subscribers.
    streams: int
    #: State of the settlement chain; null if there is no settlement chain.
    settlement: None | SettlementHealth


class VenueHealthConnections(TypedDict):
    """Open sockets: `ws`, `apiWs`, `wsRtds`."""
    #: Open connections on `/ws`.
    ws: int
    #: Open connections on `/api-ws`.
    apiWs: int
    #: Open connections on `/ws-rtds`.
    wsRtds: int


class VenueOracle(TypedDict):
    """The age of a perp's oracle price."""
    #: The perp.
    coin: str
    #: Whether the perp is neither halted, nor delisted, nor in its closing period.
    trading: bool
    #: Age of the oracle price; null before the first price.
    ageMs: None | int
    #: Whether the price is stale.
    stale: bool


class VenueStatus(TypedDict):
    """The venue's operators and condition, all as of one block."""
    #: Height of the block.
    height: int
    #: Time of the block. Unit: ms.
    time: int
    #: Addresses that may send venueAdmin.
    admins: list[str]
    #: Addresses that may send outcomeDeploy.
    deployers: list[str]
    #: Access control of both exchanges.
    gates: list[VenueGate]
    #: Age of each perp's oracle price.
    oracles: list[VenueOracle]
    #: Account value of the insurance fund. Unit: USDC.
    insuranceFund: str
    #: Target of the insurance fund. Unit: USDC.
    insuranceTarget: str
    #: Collected fees. Unit: USDC.
    treasury: str
    #: Number of accounts.
    accounts: int
    #: Number of orders in the delay queue.
    queuedOrders: int
    #: Number of withdrawals that have not been settled yet.
    openWithdrawals: int
    #: Whether the insurance fund's deficit suspends withdrawals.
    withdrawalsWait: bool


class Warning(TypedDict):
    """
    A notice that accompanies a success if a condition may differ from what the client
    expects.
    """
    #: Stable name of the warning.
    code: str
    #: Description of the warning.
    message: str
    #: Figures of the warning.
    details: NotRequired[dict[str, Any]]


class WithdrawDelta(TypedDict):
    """A withdrawal to the settlement chain. The amount includes the fee."""
    #: Type of the action.
    type: Literal["withdraw"]
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: USDC contract.
    token: Literal["USDC"]
    #: Withdrawal fee. Unit: USDC.
    fee: str
    #: Nonce of the request.
    nonce: int
    #: Recipient on the settlement chain.
    destination: str
    #: `held`, `signed`, `sent`, `confirmed` (paid) or `returned`.
    status: Literal["completed", "failed", "pending"]


class Withdrawal(TypedDict):
    """
    A withdrawal and its progress. Without a bridge, the fields about the settlement chain are
    null.
    """
    #: Id of the withdrawal.
    id: int
    #: Time of the request. Unit: ms.
    time: int
    #: Recipient on the settlement chain.
    destination: str
    #: Amount, including the fee. Unit: USDC.
    amount: str
    #: Withdrawal fee. Unit: USDC.
    fee: str
    #: `held`, `signed`, `sent`, `confirmed` (paid) or `returned`.
    status: Literal["confirmed", "held", "returned", "sent", "signed"]
    #: Transaction on the settlement chain.
    txHash: None | str
    #: Why the withdrawal is waiting or was returned.
    error: None | str
    #: Time of the last change. Unit: ms.
    updateTime: int
